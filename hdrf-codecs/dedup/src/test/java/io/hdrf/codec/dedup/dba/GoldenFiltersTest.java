/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.dba;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.io.BytesFile;
import io.hdrf.spi.io.DurableFile;
import io.hdrf.spi.io.LocalDurableFiles;
import java.io.IOException;
import java.nio.LongBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Filter files of format version 1 that must be readable for ever. */
class GoldenFiltersTest {

  private static final String FULL = "filter-v1-sealed.golden";
  private static final String MERGED = "filter-v1-merged.golden";

  @TempDir Path dir;

  private static FilterFile header(String name) {
    return name.equals(FULL)
        ? new FilterFile(new Shape(100, 20), true, 100, 3, new int[] {7}, new long[] {-1})
        : new FilterFile(
            new Shape(90, 5),
            false,
            60,
            0,
            new int[] {0x01020304, 0, 9},
            new long[] {0x0102030405060708L, 5, 1L << 62});
  }

  private static ColumnBits bits(String name) {
    FilterFile header = header(name);
    ColumnBits bits = new ColumnBits(header.shape());
    byte[] fingerprints = new byte[32 * header.elements()];
    for (int i = 0; i < header.elements(); i++) {
      ToyIndex.fingerprint(i, fingerprints, i);
    }
    long[] hashes = new long[2 * header.elements()];
    FilterGroup.hash(fingerprints, 0, header.elements(), LongBuffer.wrap(hashes), 0);
    bits.add(hashes, 0, header.elements());
    return bits;
  }

  private static byte[] read(String name) throws IOException {
    try (var in = GoldenFiltersTest.class.getResourceAsStream(name)) {
      return in.readAllBytes();
    }
  }

  private static void write(Path path, String name) throws IOException {
    ColumnBits bits = bits(name);
    try (DurableFile file = LocalDurableFiles.INSTANCE.create(path)) {
      header(name)
          .write(file, (j, words) -> System.arraycopy(bits.row(j), 0, words, 0, words.length));
    }
  }

  @Test
  void oldFilesStayReadable() throws IOException {
    for (String name : new String[] {FULL, MERGED}) {
      FilterFile expected = header(name);
      try (BytesFile file = new BytesFile(read(name))) {
        FilterFile found = FilterFile.readHeader(Path.of(name), file);
        assertThat(found.shape()).isEqualTo(expected.shape());
        assertThat(found.sealed()).isEqualTo(expected.sealed());
        assertThat(found.elements()).isEqualTo(expected.elements());
        assertThat(found.stale()).isEqualTo(expected.stale());
        assertThat(found.segments()).isEqualTo(expected.segments());
        assertThat(found.generations()).isEqualTo(expected.generations());
        assertThat(found.readRows(Path.of(name), file)).isEqualTo(bits(name));
      }
    }
  }

  @Test
  void theSameIsWrittenToday() throws IOException {
    for (String name : new String[] {FULL, MERGED}) {
      write(dir.resolve(name), name);
      assertThat(Files.readAllBytes(dir.resolve(name))).isEqualTo(read(name));
    }
  }

  /** Writes the files; only a new format version gives a reason, and then for new files. */
  public static void main(String[] args) throws IOException {
    for (String name : new String[] {FULL, MERGED}) {
      write(Path.of(args[0]).resolve(name), name);
    }
  }
}
