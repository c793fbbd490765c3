/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.io.DoubleWritable;
import org.apache.hadoop.io.SequenceFile;
import org.apache.hadoop.io.Text;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WrittenOutputTest {

  private final Configuration conf = new Configuration();
  @TempDir private Path directory;
  private int outputs;

  private String digest(WrittenOutput output, Path written) throws IOException {
    return output.digest(FileSystem.getLocal(conf), new org.apache.hadoop.fs.Path(written.toUri()));
  }

  /** Writes a file of each list of lines. */
  @SafeVarargs
  private Path written(List<String>... files) throws IOException {
    Path output = Files.createDirectories(directory.resolve("output-" + outputs++));
    Files.writeString(output.resolve("_SUCCESS"), "");
    for (int i = 0; i < files.length; i++) {
      Files.write(output.resolve("part-" + i), files[i]);
    }
    return output;
  }

  private Path sequence(List<String> keys, double value) throws IOException {
    Path output = Files.createDirectories(directory.resolve("output-" + outputs++));
    try (SequenceFile.Writer writer =
        SequenceFile.createWriter(
            conf,
            SequenceFile.Writer.file(
                new org.apache.hadoop.fs.Path(output.resolve("part-0").toUri())),
            SequenceFile.Writer.keyClass(Text.class),
            SequenceFile.Writer.valueClass(DoubleWritable.class))) {
      for (String key : keys) {
        writer.append(new Text(key), new DoubleWritable(value));
      }
    }
    return output;
  }

  private String records(Path written) throws IOException {
    return digest(WrittenOutput.RECORDS, written);
  }

  @Test
  void recordsCountInAnyOrder() throws Exception {
    String digest = records(written(List.of("a\t1", "b\t2"), List.of("c\t3")));
    assertThat(records(written(List.of("c\t3", "a\t1"), List.of("b\t2")))).isEqualTo(digest);
    assertThat(records(written(List.of("c\t3", "a\t1"), List.of("b\t4")))).isNotEqualTo(digest);
    assertThat(records(written(List.of("a\t1", "b\t2"), List.of("c\t3", "c\t3"))))
        .isNotEqualTo(digest);
  }

  @Test
  void oneRecordForAnotherIsADifference() throws Exception {
    assertThat(records(written(List.of("a", "a", "b", "b"))))
        .isNotEqualTo(records(written(List.of("a", "a", "a", "a"))))
        .isNotEqualTo(records(written(List.of("c", "c", "d", "d"))));
  }

  @Test
  void fractionsCountToSixDigits() throws Exception {
    String digest = records(written(List.of("(17,0.36250000000000004)", "(18,-1.5E-7)")));
    assertThat(records(written(List.of("(17,0.3625)", "(18,-1.4999999999999999E-7)"))))
        .isEqualTo(digest);
    assertThat(records(written(List.of("(17,0.3626)", "(18,-1.5E-7)")))).isNotEqualTo(digest);
    assertThat(records(written(List.of("(17,0.3625)", "(18,1.5E-7)")))).isNotEqualTo(digest);
  }

  @Test
  void sequenceFilesCountByKeysAndValues() throws Exception {
    String digest = records(sequence(List.of("a", "b"), 1));
    assertThat(records(sequence(List.of("b", "a"), 1))).isEqualTo(digest);
    assertThat(records(sequence(List.of("b", "a"), 2))).isNotEqualTo(digest);
  }

  @Test
  void bytesCountInOrder() throws Exception {
    String digest = digest(WrittenOutput.BYTES, written(List.of("a"), List.of("b")));
    assertThat(digest(WrittenOutput.BYTES, written(List.of("a", "b")))).isEqualTo(digest);
    assertThat(digest(WrittenOutput.BYTES, written(List.of("b", "a")))).isNotEqualTo(digest);
  }

  @Test
  void nothingIsNoOutput() {
    assertThatThrownBy(() -> records(written())).isInstanceOf(AssertionError.class);
    assertThatThrownBy(() -> digest(WrittenOutput.BYTES, written()))
        .isInstanceOf(AssertionError.class);
  }
}
