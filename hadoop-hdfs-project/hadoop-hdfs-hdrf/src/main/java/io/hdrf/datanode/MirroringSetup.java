/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import io.hdrf.conf.HdrfConf;
import io.hdrf.conf.HdrfKeys;
import io.hdrf.conf.MirrorSettings;
import io.hdrf.datanode.mirror.Mirroring;
import io.hdrf.datanode.volume.Chains;
import io.hdrf.reduce.ReductionRules;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.spi.BadSettingException;
import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.scheme.BlockScheme;
import io.hdrf.spi.scheme.ChunkFunction;
import io.hdrf.spi.scheme.ReductionScheme;
import io.hdrf.wire.Timer;
import io.hdrf.wire.WireChains;
import io.hdrf.wire.WireFormat;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.hadoop.fs.StorageType;

/** Reads what {@code hdrf.mirror.*} says. */
final class MirroringSetup {

  /** The chain of blocks whose own frames can't travel. */
  private static final String SUBSTITUTE = "lz4";

  private static final String NONE = "none";

  /** The largest packet that a DataNode takes, in bytes; a key of Hadoop 3.4. */
  private static final String PACKET_SIZE = "dfs.data.transfer.max.packet.size";

  private final MirrorSettings settings;
  private final ReductionRules rules;
  private final WireChains wireChains;
  private final SchemeChain configured;
  private final SchemeChain substitute;
  private final boolean sends;
  private final boolean framesAreStored;
  private final Map<String, ChunkFunction> functions;

  /**
   * @throws IOException names the key that is wrong
   */
  MirroringSetup(HdrfConf conf, SchemeRegistry registry, Map<StorageType, SchemeChain> chains)
      throws IOException {
    settings = conf.mirrorSettings();
    rules = new ReductionRules(conf);
    requirePacketsThatFit(conf);
    configured = configured(settings, registry);
    wireChains = new WireChains(registry, conf.configuration());
    substitute = substitute(registry, chains);
    sends = Chains.anyConfigured(chains);
    framesAreStored =
        chains.values().stream().anyMatch(chain -> !chain.isEmpty() && WireChains.travels(chain));
    functions = chunkFunctions(conf, chains);
  }

  /**
   * Begins mirroring.
   *
   * @param timer for what it does some time later
   */
  Mirroring open(Mirroring.Storage storage, Timer timer) {
    return new Mirroring(
        settings,
        rules,
        wireChains,
        configured,
        substitute,
        sends,
        framesAreStored,
        storage,
        functions,
        timer);
  }

  /** From Hadoop 3.4 on packets may be larger than a record of the stream. */
  private void requirePacketsThatFit(HdrfConf conf) throws BadSettingException {
    int size = conf.configuration().getInt(PACKET_SIZE, WireFormat.MAX_PACKET);
    if (size > WireFormat.MAX_PACKET && settings.isEnabled()) {
      throw new BadSettingException(
          PACKET_SIZE,
          Integer.toString(size),
          "at most " + WireFormat.MAX_PACKET + ", or hdrf.mirror.enabled set to false");
    }
  }

  /** Null where each block's own chain is used. */
  private static SchemeChain configured(MirrorSettings settings, SchemeRegistry registry)
      throws IOException {
    SchemeChain configured = null;
    if (!settings.scheme().equals(MirrorSettings.OWN_CHAIN)) {
      configured = SchemeChain.parse(HdrfKeys.MIRROR_SCHEME, settings.scheme(), registry);
      if (configured.isEmpty() || !WireChains.travels(configured)) {
        throw new BadSettingException(
            HdrfKeys.MIRROR_SCHEME,
            settings.scheme(),
            "\""
                + MirrorSettings.OWN_CHAIN
                + "\" or schemes that work on frames and can do so on every DataNode; to send"
                + " blocks plain, set "
                + HdrfKeys.PREFIX
                + HdrfKeys.MIRROR_SECTION
                + "."
                + HdrfKeys.MIRROR_ENABLED
                + " to false");
      }
    }
    return configured;
  }

  /** How the schemes whose chunks can be asked for cut and name them. */
  private static Map<String, ChunkFunction> chunkFunctions(
      HdrfConf conf, Map<StorageType, SchemeChain> chains) throws IOException {
    Map<String, ChunkFunction> functions = new LinkedHashMap<>();
    for (SchemeChain chain : chains.values()) {
      ReductionScheme first = chain.isEmpty() ? null : chain.schemes().get(0);
      ChunkFunction function =
          first instanceof BlockScheme
              ? ((BlockScheme) first)
                  .chunkFunction(new PluginSettings(conf.configuration(), first.name()))
              : null;
      if (function != null) {
        functions.put(first.name(), function);
      }
    }
    return functions;
  }

  private static SchemeChain substitute(
      SchemeRegistry registry, Map<StorageType, SchemeChain> chains) throws IOException {
    if (registry.names().contains(SUBSTITUTE)) {
      return SchemeChain.parse(HdrfKeys.MIRROR_SCHEME, SUBSTITUTE, registry);
    }
    SchemeChain usual = chains.get(StorageType.DEFAULT);
    return Stream.concat(Stream.of(usual), chains.values().stream())
        .filter(chain -> !chain.isEmpty() && WireChains.travels(chain))
        .findFirst()
        .orElse(SchemeChain.parse(HdrfKeys.MIRROR_SCHEME, NONE, registry));
  }
}
