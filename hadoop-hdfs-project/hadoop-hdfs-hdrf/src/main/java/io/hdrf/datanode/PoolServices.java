/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import io.hdrf.block.StoredBlocks;
import io.hdrf.metadata.AbsentStore;
import io.hdrf.metadata.MetadataStore;
import io.hdrf.scheme.StoredPayloads;
import io.hdrf.scheme.VolumeServices;

/** What a pool on a volume offers to its block schemes. Thread-safe. */
final class PoolServices implements VolumeServices {

  private final long volumeId;
  private final StoredBlocks blocks;
  private volatile MetadataStore metadata = new AbsentStore("no metadata store is open yet");

  PoolServices(long volumeId, StoredBlocks blocks) {
    this.volumeId = volumeId;
    this.blocks = blocks;
  }

  /** The reduced blocks that lie there. */
  StoredBlocks blocks() {
    return blocks;
  }

  /** Replaces the store, or what stands for it until there is one. */
  void setMetadata(MetadataStore store) {
    metadata = store;
  }

  @Override
  public long volumeId() {
    return volumeId;
  }

  @Override
  public MetadataStore metadata() {
    return metadata;
  }

  @Override
  public StoredPayloads payloads(int schemeId) {
    return blocks.payloads(schemeId);
  }
}
