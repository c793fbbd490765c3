/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container.format;

import java.nio.file.Path;

/** The names of a store's files. */
public final class ContainerNames {

  /** A sealed container: complete and forced before it got this name. */
  public static final String SEALED = ".hdc";

  /** A container that was being written. */
  public static final String OPEN = ".hdc.open";

  /** A sealed container's successor in the making. */
  public static final String TEMPORARY = ".hdc.tmp";

  private static final int DIGITS = 12;
  private static final int RADIX = 16;

  private ContainerNames() {}

  public static String hex(long id) {
    return String.format("%012x", id);
  }

  public static Path file(Path directory, long id, String suffix) {
    return directory.resolve(hex(id) + suffix);
  }

  /** The id in a name with one of the suffixes above; -1 if the name is none of a store. */
  public static long id(String name, String suffix) {
    if (name.length() != DIGITS + suffix.length() || !name.endsWith(suffix)) {
      return -1;
    }
    for (int i = 0; i < DIGITS; i++) {
      char c = name.charAt(i);
      if ((c < '0' || c > '9') && (c < 'a' || c > 'f')) {
        return -1;
      }
    }
    long id = Long.parseLong(name.substring(0, DIGITS), RADIX);
    return id > ChunkRef.MAX_CONTAINER ? -1 : id;
  }
}
