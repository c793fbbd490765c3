/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import io.hdrf.codec.dedup.container.ContainerInspection;
import io.hdrf.codec.dedup.container.ContainerStore;
import io.hdrf.spi.BadSettingException;
import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.scheme.BlockCodec;
import io.hdrf.spi.scheme.BlockScheme;
import io.hdrf.spi.scheme.ChunkFunction;
import io.hdrf.spi.scheme.SchemeContext;
import io.hdrf.spi.scheme.SpiVersion;
import io.hdrf.spi.scheme.StoredPayloads;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/**
 * Deduplication: blocks are cut into chunks by their content, each chunk is stored once on its
 * volume, and a block's file is the list of its chunks (thesis, 3.3.2). The schemes that follow in
 * the chain encode the chunks that are stored.
 */
public final class DedupScheme implements BlockScheme {

  @Override
  public int spiVersion() {
    return SpiVersion.CURRENT;
  }

  @Override
  public String name() {
    return "dedup";
  }

  @Override
  public int id() {
    return 3;
  }

  @Override
  public boolean keepsContentInStore() {
    return true;
  }

  @Override
  public boolean framesPassTail() {
    return false;
  }

  /** Each container says with which chain its groups were encoded. */
  @Override
  public boolean storeMayNeed(Path storeDirectory, int frameSchemeId) throws IOException {
    return ContainerStore.mayNeed(storeDirectory.resolve(DedupCodec.CONTAINERS), frameSchemeId);
  }

  /** Returns null with SHA-1, for which different chunks with one fingerprint can be made. */
  @Override
  public ChunkFunction chunkFunction(PluginSettings settings) throws BadSettingException {
    DedupSettings dedup = new DedupSettings(settings);
    return dedup.fingerprint() == FingerprintFunction.SHA256
        ? new DedupChunks(dedup.chunker())
        : null;
  }

  @Override
  public boolean inspectStore(Path file, boolean lists, Map<String, Object> facts)
      throws IOException {
    return ContainerInspection.inspect(file, lists, facts);
  }

  @Override
  public void inspectPayloads(StoredPayloads payloads, boolean lists, Map<String, Object> facts)
      throws IOException {
    new RecipeInspection(lists).inspect(payloads, facts);
  }

  @Override
  public BlockCodec open(SchemeContext context) throws IOException {
    return DedupCodec.open(context);
  }
}
