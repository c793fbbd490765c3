/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.scheme;

import io.hdrf.metadata.LateStore;
import io.hdrf.spi.scheme.StoredPayloads;
import io.hdrf.spi.store.MetadataStore;
import java.io.IOException;

/** What a volume and block pool offer to block schemes. Safe for use by many threads. */
public interface VolumeServices {

  /** Where blocks are encoded or decoded apart from any volume. */
  VolumeServices NONE = of(0);

  /**
   * Where a volume is looked at without its DataNode: no store, no blocks known.
   *
   * @param id what {@link #volumeId} gives
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

  /** A number that tells this volume and block pool from others; it never changes. */
  long volumeId();

  /**
   * The store of the volume's metadata, always the same object. Every call of it throws while there
   * is none, or none that can be used; what was put into it may be gone at any time. It is not to
   * be cleared or closed.
   */
  MetadataStore metadata();

  /** What the scheme with this id emitted for the blocks that are stored now. */
  StoredPayloads payloads(int schemeId);

  /**
   * Is told by how many bytes the files of block schemes' stores have grown, by whatever thread,
   * which may hold locks.
   *
   * @param bytes negative where they shrank
   */
  default void storesGrew(long bytes) {}
}
