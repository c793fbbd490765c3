/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class ProfileTableTest {

  @Test
  void theInnermostKnownFrameDecides() {
    ProfileTable table = new ProfileTable();
    table.add(
        List.of(
            "[hdrf-reduce-1 tid=7];java/lang/Thread.run;io/hdrf/jni/Sha256.digest;blocks 30",
            "[hdrf-reduce-1 tid=7];io/hdrf/jni/Sha256.digest;__memmove_avx 5",
            "[DataXceiver for client DFS tid=8];sun/nio/ch/SocketDispatcher.write0;write 10",
            "[somebody tid=9];org/acme/Unknown.run;leaf 4"));
    assertThat(table.render(0.1))
        .startsWith("| s/GB | all | writer | Reducer | other |\n")
        .contains("| all | 4.90 | 1.00 | 3.50 | 0.40 |\n")
        .contains("| fingerprints | 3.00 | 0.00 | 3.00 | 0.00 |\n")
        .contains("| copying bytes | 0.50 | 0.00 | 0.50 | 0.00 |\n")
        .contains("| socket, writing | 1.00 | 1.00 | 0.00 | 0.00 |\n")
        .contains("| other | 0.40 | 0.00 | 0.00 | 0.40 |\n")
        .endsWith("Most of the rest: leaf 0.40\n");
  }
}
