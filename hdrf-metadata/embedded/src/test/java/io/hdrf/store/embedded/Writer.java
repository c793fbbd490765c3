/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.embedded;

import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.StoreBatch;
import io.hdrf.spi.store.Table;
import java.io.IOException;
import java.nio.file.Path;

/**
 * A process that puts key after key into a store, in two tables at once, and prints each number
 * once its put has returned.
 */
final class Writer {

  private Writer() {}

  /** Argument: the directory. */
  public static void main(String[] args) throws IOException {
    try (MetadataStore store = Stores.open(Path.of(args[0]))) {
      for (int i = 0; true; i++) {
        byte[] key = Stores.bytes("k" + i);
        byte[] value = Stores.bytes(value(i));
        store.write(new StoreBatch().put(Table.BLOCKS, key, value).put(Table.STATE, key, value));
        store.write(new StoreBatch().put(Table.CHUNKS, key, value));
        System.out.println(i);
      }
    }
  }

  static String value(int number) {
    return String.valueOf(number).repeat(200);
  }
}
