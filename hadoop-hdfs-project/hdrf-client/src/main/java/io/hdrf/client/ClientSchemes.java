/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.client;

import io.hdrf.scheme.ChainCodec;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.scheme.VolumeSchemes;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.scheme.FrameScheme;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;

/** The schemes of a client's plug-in directory. Thread-safe. */
final class ClientSchemes {

  private final SchemeRegistry registry;
  private final VolumeSchemes schemes;

  ClientSchemes(Path plugins, Configuration configuration) throws IOException {
    this(SchemeRegistry.load(plugins), plugins, configuration);
  }

  ClientSchemes(SchemeRegistry registry, Path plugins, Configuration configuration) {
    this.registry = registry;
    // No scheme with a store is ever opened.
    schemes = new VolumeSchemes(registry, configuration, plugins, LocalDurableFiles.INSTANCE);
  }

  /**
   * The codec of a chain.
   *
   * @throws IOException if one of its schemes is not installed, or is none of frames: those may
   *     need a store
   */
  ChainCodec codec(int[] ids) throws IOException {
    for (int id : ids) {
      if (!(registry.byId(id) instanceof FrameScheme)) {
        throw new IOException("scheme " + id + " is not one of frames");
      }
    }
    return schemes.codec(ids);
  }
}
