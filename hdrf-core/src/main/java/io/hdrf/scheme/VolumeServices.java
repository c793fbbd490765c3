/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.scheme;

import io.hdrf.metadata.LateStore;
import io.hdrf.spi.memory.MemoryBudget;
import io.hdrf.spi.scheme.ChunkLookup;
import io.hdrf.spi.scheme.StoredPayloads;
import io.hdrf.spi.store.MetadataStore;
import java.io.IOException;

/** The services of a volume and block pool for block schemes. Safe for use by many threads. */
public interface VolumeServices {

  /** For blocks that are encoded or decoded apart from any volume. */
  VolumeServices NONE = of(0);

  /**
   * Returns services for a volume that is read without its DataNode: no store, no blocks known.
   *
   * @param id the result of {@link #volumeId}
   */
  static VolumeServices of(long id) {
    MetadataStore absent = new LateStore("there is no metadata store here");
    return new VolumeServices() {
      @Override
      public long volumeId() {
        return id;
      }

      @Override
      public MetadataStore metadata() {
        return absent;
      }

      @Override
      public StoredPayloads payloads(int schemeId) {
        return visitor -> {
          throw new IOException("the stored blocks are not known here");
        };
      }
    };
  }

  /** A number that distinguishes this volume and block pool from others; it never changes. */
  long volumeId();

  /**
   * The store of the volume's metadata, always the same object. Each of its methods throws while
   * there is none, or none that can be used; its content may be lost at any time. It must not be
   * cleared or closed.
   */
  MetadataStore metadata();

  /** The budget for what schemes keep in memory. */
  default MemoryBudget memory() {
    return MemoryBudget.unlimited();
  }

  /** The payloads that the scheme with this id emitted for the blocks that are stored now. */
  StoredPayloads payloads(int schemeId);

  /**
   * See {@code SchemeContext.newLookupElsewhere}.
   *
   * @param scheme the name of the scheme that looks
   */
  default ChunkLookup newLookupElsewhere(String scheme) {
    return ChunkLookup.NONE;
  }

  /**
   * Counts bytes by which the files of block schemes' stores have grown. Called by any thread,
   * which may hold locks.
   *
   * @param bytes negative where they shrank
   */
  default void storesGrew(long bytes) {}
}
