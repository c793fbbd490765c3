/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.scheme;

import io.hdrf.plugin.PluginLoadException;
import io.hdrf.plugin.PluginLoader;
import io.hdrf.spi.BadSettingException;
import io.hdrf.spi.scheme.ReductionScheme;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds the schemes in the jars of the plug-in directory; see {@link PluginLoader}. */
public final class SchemeLoader {

  private static final Logger LOG = LoggerFactory.getLogger(SchemeLoader.class);

  private SchemeLoader() {}

  /**
   * Loads all schemes of a plug-in directory.
   *
   * @throws BadSettingException if it is missing or not readable
   * @throws SchemeLoadException if one of its jars can't be used; the message names it
   */
  public static SchemeRegistry load(Path pluginsDirectory) throws IOException {
    Map<ReductionScheme, String> origins;
    try {
      origins = PluginLoader.load(pluginsDirectory, ReductionScheme.class);
    } catch (PluginLoadException e) {
      throw new SchemeLoadException(e.getMessage(), e);
    }
    SchemeRegistry registry = new SchemeRegistry(origins, "in " + pluginsDirectory);
    LOG.info("Schemes {}", registry.installed());
    return registry;
  }
}
