/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.jni;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** Fails if the build or the loader silently falls back to Java on the platform that matters. */
class NativeLibraryIsUsedTest {

  @Test
  void onLinuxAndX86TheNativeLibraryIsTheOneUsed() throws IOException {
    String platform = System.getProperty("os.name") + "-" + System.getProperty("os.arch");
    if (!platform.toLowerCase(Locale.ROOT).equals("linux-amd64")) {
      assertThat(NativeLibrary.isLoaded()).isEqualTo(NativeLibrary.whyNot().isEmpty());
      return;
    }
    assertThat(NativeLibrary.isLoaded()).as(NativeLibrary.whyNot()).isTrue();
    assertThat(NativeLibrary.whyNot()).isEmpty();
    assertThat(Crc32c.isNative()).isTrue();
    assertThat(Crc32c.implementation())
        .isEqualTo(cpuHas("sse4_2") ? "native, sse4.2" : "native, portable");
    assertThat(FilterRows.isNative()).isTrue();
    assertThat(FilterRows.implementation())
        .isEqualTo(cpuHas("avx2") ? "native, avx2" : "native, portable");
    for (ChunkerAlgorithm algorithm :
        List.of(ChunkerAlgorithm.RAM, ChunkerAlgorithm.RAML, ChunkerAlgorithm.VHASH)) {
      assertThat(algorithm.implementation()).isEqualTo("native, " + vectors());
    }
    assertThat(ChunkerAlgorithm.FASTCDC.implementation()).isEqualTo("native, portable");
  }

  private static String vectors() throws IOException {
    if (cpuHas("avx512f") && cpuHas("avx512bw") && cpuHas("avx512dq") && cpuHas("avx512vl")) {
      return "avx512";
    }
    return cpuHas("avx2") ? "avx2" : cpuHas("sse4_2") ? "sse4.2" : "portable";
  }

  private static boolean cpuHas(String flag) throws IOException {
    return Files.readAllLines(Path.of("/proc/cpuinfo")).stream()
        .anyMatch(line -> line.startsWith("flags") && (line + " ").contains(" " + flag + " "));
  }
}
