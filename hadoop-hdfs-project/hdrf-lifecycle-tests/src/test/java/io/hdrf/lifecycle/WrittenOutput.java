/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.io.SequenceFile;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.util.ReflectionUtils;

/**
 * By what the output of a job, all files below a directory, is compared with that of another run.
 */
enum WrittenOutput {

  /** By all bytes, the files in the order of their names. */
  BYTES {
    @Override
    String digest(FileSystem fileSystem, Path directory) throws IOException {
      MessageDigest digest = sha256();
      long length = 0;
      byte[] buffer = new byte[BUFFER];
      for (Path file : files(fileSystem, directory)) {
        try (InputStream in = fileSystem.open(file)) {
          for (int count = in.read(buffer); count > 0; count = in.read(buffer)) {
            digest.update(buffer, 0, count);
            length += count;
          }
        }
      }
      assertThat(length).as("bytes in " + directory).isPositive();
      return length + " bytes: " + HexFormat.of().formatHex(digest.digest());
    }
  },

  /**
   * By the records, in any order, as jobs get their input from several others at once. The sum of
   * fractions depends on that order too, so they count to six digits. Of a sequence file, whose
   * bytes differ each time, keys and values count; of any other, the lines.
   */
  RECORDS {
    @Override
    String digest(FileSystem fileSystem, Path directory) throws IOException {
      MessageDigest digest = sha256();
      // The sum of digests does not depend on their order, and, unlike their parity, has no
      // record twice for none.
      BigInteger[] sum = {BigInteger.ZERO};
      long[] count = {0};
      Consumer<String> add =
          text -> {
            byte[] bytes = rounded(text).getBytes(StandardCharsets.UTF_8);
            sum[0] = sum[0].add(new BigInteger(1, digest.digest(bytes)));
            count[0]++;
          };
      for (Path file : files(fileSystem, directory)) {
        read(fileSystem, file, add);
      }
      assertThat(count[0]).as("records in " + directory).isPositive();
      return count[0] + " records: " + sum[0].toString(16);
    }
  };

  private static final int BUFFER = 1 << 20;
  private static final byte[] SEQUENCE = {'S', 'E', 'Q'};
  private static final Pattern FRACTION = Pattern.compile("-?\\d+\\.\\d+(?:[eE]-?\\d+)?");
  private static final double STEPS = 1e6;

  /** The digest of all that is in a directory, where there must be something. */
  abstract String digest(FileSystem fileSystem, Path directory) throws IOException;

  private static List<Path> files(FileSystem fileSystem, Path directory) throws IOException {
    List<Path> files = new ArrayList<>();
    RemoteIterator<LocatedFileStatus> all = fileSystem.listFiles(directory, true);
    while (all.hasNext()) {
      Path file = all.next().getPath();
      // Others are the job's: _SUCCESS, _partition.lst.
      if (!file.getName().startsWith("_")) {
        files.add(file);
      }
    }
    files.sort(null);
    return files;
  }

  private static void read(FileSystem fileSystem, Path file, Consumer<String> add)
      throws IOException {
    byte[] first = new byte[SEQUENCE.length];
    try (InputStream in = fileSystem.open(file)) {
      in.readNBytes(first, 0, first.length);
    }
    if (Arrays.equals(first, SEQUENCE)) {
      readSequence(new Path(fileSystem.getUri().toString(), file), fileSystem.getConf(), add);
      return;
    }
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(fileSystem.open(file), StandardCharsets.ISO_8859_1))) {
      lines.lines().forEach(add);
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private static void readSequence(Path file, Configuration conf, Consumer<String> add)
      throws IOException {
    try (SequenceFile.Reader reader =
        new SequenceFile.Reader(conf, SequenceFile.Reader.file(file))) {
      Writable key = (Writable) ReflectionUtils.newInstance(reader.getKeyClass(), conf);
      Writable value = (Writable) ReflectionUtils.newInstance(reader.getValueClass(), conf);
      while (reader.next(key, value)) {
        add.accept(key + "\t" + value);
      }
    }
  }

  /**
   * Fractions by steps of their logarithm, whose bounds lie where no sum does that a job makes of
   * short fractions.
   */
  private static String rounded(String text) {
    return FRACTION
        .matcher(text)
        .replaceAll(
            found -> {
              double value = Double.parseDouble(found.group());
              long steps = Math.round(Math.log(Math.abs(value)) * STEPS);
              return (value < 0 ? "-e^" : "e^") + steps;
            });
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
