/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.embedded;

import io.hdrf.jni.Crc32c;
import io.hdrf.spi.io.DurableFile;
import io.hdrf.spi.io.DurableFiles;
import io.hdrf.spi.store.StoreCorruptException;
import io.hdrf.spi.store.StoreVersionException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The file {@code VERSION} of a store, one line of ASCII; {@code docs/formats.md} ("Metadata
 * stores") specifies it.
 */
final class VersionFile {

  static final String NAME = "VERSION";
  static final int CURRENT = 1;

  private static final String TEMPORARY = "VERSION.tmp";
  private static final int MAX_LENGTH = 100;
  private static final Pattern LINE =
      Pattern.compile("(hdrf-embedded-store ([1-9][0-9]{0,8}) )([0-9a-f]{8})\n");

  private VersionFile() {}

  static String line(int version) {
    String head = "hdrf-embedded-store " + version + " ";
    return head + crc(head) + "\n";
  }

  private static String crc(String head) {
    ByteBuffer bytes = ByteBuffer.wrap(head.getBytes(StandardCharsets.US_ASCII));
    return String.format("%08x", Crc32c.update(0, bytes));
  }

  /** Marks a directory as a store of this version; durable on return. */
  static void write(DurableFiles files, Path directory) throws IOException {
    Path temporary = directory.resolve(TEMPORARY);
    files.deleteIfExists(temporary);
    try (DurableFile file = files.create(temporary)) {
      file.write(ByteBuffer.wrap(line(CURRENT).getBytes(StandardCharsets.US_ASCII)), 0);
      file.force();
    }
    files.rename(temporary, directory.resolve(NAME));
    files.forceDirectory(directory);
  }

  /**
   * @throws StoreVersionException if the store has another version
   * @throws StoreCorruptException if the file is not as this class writes it
   */
  static void check(Path directory) throws IOException {
    Path file = directory.resolve(NAME);
    if (Files.size(file) > MAX_LENGTH) {
      throw new StoreCorruptException(file + " is too long");
    }
    String line = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
    Matcher matcher = LINE.matcher(line);
    if (!matcher.matches() || !crc(matcher.group(1)).equals(matcher.group(3))) {
      throw new StoreCorruptException(file + " is damaged: \"" + line.trim() + "\"");
    }
    int version = Integer.parseInt(matcher.group(2));
    if (version != CURRENT) {
      throw new StoreVersionException(
          String.format(
              "%s is a store of version %d; this HDRF knows version %d",
              directory, version, CURRENT));
    }
  }
}
