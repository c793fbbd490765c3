/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.scheme;

import io.hdrf.scheme.VolumeServices;
import io.hdrf.spi.BadSettingException;
import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.io.DurableFiles;
import io.hdrf.spi.memory.MemoryBudget;
import io.hdrf.spi.store.MetadataStore;
import java.io.IOException;
import java.nio.file.Path;

/** The surroundings of a block scheme on one volume and block pool. */
public interface SchemeContext {

  /** The scheme's settings. */
  PluginSettings settings();

  /**
   * The directory for the scheme's store; it exists, belongs to this scheme alone, and lies on the
   * volume whose blocks need it.
   */
  Path storeDirectory();

  /**
   * The file operations on which durability may rest; others must not. What the files take is
   * reported to HDFS as used.
   */
  DurableFiles files();

  /** See {@link VolumeServices#volumeId}. */
  long volumeId();

  /**
   * See {@link VolumeServices#metadata}; the scheme's entries are those of {@code Table.CHUNKS}.
   */
  MetadataStore metadata();

  /** The budget for what the scheme keeps in memory for longer than one call. */
  default MemoryBudget memory() {
    return MemoryBudget.unlimited();
  }

  /** The payloads that this scheme emitted for the blocks that are stored now. */
  StoredPayloads payloads();

  /**
   * Looks for chunks in this scheme's stores on the other volumes of the pool, by the names that
   * {@link BlockScheme#chunkFunction} gives them. Those stores may come and go; which ones there
   * are is found out at each look.
   */
  default ChunkLookup newLookupElsewhere() {
    return ChunkLookup.NONE;
  }

  /**
   * The frame schemes with these ids, to read what was stored with an earlier chain. The codecs
   * belong to the caller of {@link BlockScheme#open}; closing the chain does nothing.
   *
   * @throws SchemeNotFoundException if one of them is not installed, or is no frame scheme
   * @throws BadSettingException if a setting of one of them is wrong
   */
  FrameChain frameChain(int... ids) throws IOException;
}
