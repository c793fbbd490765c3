/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.scheme;

import io.hdrf.spi.scheme.ReductionScheme;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;

/** Schemes that are on the test's class path, as plug-in jars. */
public final class PluginJars {

  private PluginJars() {}

  /**
   * Writes a jar with these schemes, the other classes of their packages, and the service file.
   * Their packages must not be below {@code io.hdrf.scheme}, which plug-ins share with HDRF.
   *
   * @param directory exists
   * @return the jar, named after the first scheme's class
   */
  @SafeVarargs
  public static Path of(Path directory, Class<? extends ReductionScheme>... schemes)
      throws IOException {
    PluginJarBuilder jar = new PluginJarBuilder();
    for (Class<? extends ReductionScheme> scheme : schemes) {
      jar.packageOf(scheme).scheme(scheme.getName());
    }
    String name = schemes[0].getSimpleName().toLowerCase(Locale.ROOT);
    return jar.write(directory.resolve(name + ".jar"));
  }
}
