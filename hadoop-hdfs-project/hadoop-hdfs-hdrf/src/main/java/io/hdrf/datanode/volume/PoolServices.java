/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.volume;

import io.hdrf.block.StoredBlocks;
import io.hdrf.metadata.LateStore;
import io.hdrf.metadata.VolumeRecords;
import io.hdrf.scheme.VolumeServices;
import io.hdrf.spi.memory.MemoryBudget;
import io.hdrf.spi.scheme.ChunkLookup;
import io.hdrf.spi.scheme.StoredPayloads;
import io.hdrf.spi.store.MetadataStore;
import java.util.function.Function;
import java.util.function.LongConsumer;

/** The services of a pool on a volume for its block schemes. Thread-safe. */
public final class PoolServices implements VolumeServices {

  private final long volumeId;
  private final StoredBlocks blocks;
  private final LongConsumer used;
  private final Function<String, ChunkLookup> elsewhere;
  private final MemoryBudget memory;
  private final LateStore metadata = new LateStore("no metadata store is open yet");

  /**
   * @param used receives the bytes by which the space used changes
   * @param memory of the DataNode
   * @param elsewhere looks for chunks of a scheme on the pool's other volumes
   */
  PoolServices(
      long volumeId,
      StoredBlocks blocks,
      LongConsumer used,
      MemoryBudget memory,
      Function<String, ChunkLookup> elsewhere) {
    this.volumeId = volumeId;
    this.blocks = blocks;
    this.used = used;
    this.memory = memory;
    this.elsewhere = elsewhere;
  }

  /** The reduced blocks of the pool on the volume. */
  public StoredBlocks blocks() {
    return blocks;
  }

  /** Sets the store, when there is one. */
  public void setMetadata(VolumeRecords records) {
    metadata.set(records);
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
  public MemoryBudget memory() {
    return memory;
  }

  @Override
  public StoredPayloads payloads(int schemeId) {
    return blocks.payloads(schemeId);
  }

  @Override
  public ChunkLookup newLookupElsewhere(String scheme) {
    return elsewhere.apply(scheme);
  }

  @Override
  public void storesGrew(long bytes) {
    used.accept(bytes);
  }
}
