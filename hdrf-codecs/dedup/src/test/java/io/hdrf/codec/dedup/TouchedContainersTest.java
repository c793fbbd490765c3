/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.spi.scheme.TestSeed;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TouchedContainersTest {

  private final TouchedContainers touched = new TouchedContainers();

  @Test
  void countsEachContainerOnce() {
    Random random = TestSeed.random(TouchedContainersTest.class.getName());
    for (int block = 0; block < 3; block++) {
      touched.clear();
      assertThat(touched.count()).isZero();
      Set<Long> expected = new HashSet<>();
      for (int i = 0; i < 5000; i++) {
        long container = (long) random.nextInt(700) << (block * 14);
        touched.add(container);
        expected.add(container);
        assertThat(touched.count()).isEqualTo(expected.size());
      }
    }
  }
}
