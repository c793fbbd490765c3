/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.scheme;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * A third party's plug-in jar, compiled while the test runs, with lz4-java 1.8.0 in it; neither is
 * on the test's class path. Each frame begins with {@link #OTHER_LZ4} if that lz4-java encoded it.
 */
public final class ThirdPartySchemeJar {

  /** The scheme's name. */
  public static final String NAME = "acme-lz4";

  /** The scheme's id. */
  public static final int ID = 64001;

  /** The first byte of a frame that the jar's own lz4-java encoded, and not a newer one. */
  public static final byte OTHER_LZ4 = 'o';

  private static final String SCHEME = "com.acme.AcmeLz4Scheme";

  private ThirdPartySchemeJar() {}

  /**
   * Builds the jar.
   *
   * @param directory exists
   */
  public static Path build(Path directory) throws IOException {
    try (InputStream source = resource("AcmeLz4Scheme.java");
        InputStream lz4 = resource("other-lz4.jar")) {
      return new PluginJarBuilder()
          .library(lz4)
          .source(SCHEME, new String(source.readAllBytes(), StandardCharsets.UTF_8))
          .scheme(SCHEME)
          .write(directory.resolve("acme-lz4.jar"));
    }
  }

  private static InputStream resource(String name) throws IOException {
    InputStream in = ThirdPartySchemeJar.class.getResourceAsStream("/thirdparty/" + name);
    if (in == null) {
      throw new IOException("thirdparty/" + name + " is missing");
    }
    return in;
  }
}
