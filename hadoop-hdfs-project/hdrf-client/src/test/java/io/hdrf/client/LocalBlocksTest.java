/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.conf.HdrfKeys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalBlocksTest {

  @TempDir Path directory;

  /** As in a client that was started while the jars were being installed. */
  @Test
  void schemesThatCanNotBeLoadedAreTriedAgain() throws IOException {
    Path plugins = directory.resolve("plugins");
    Configuration conf = new Configuration(false);
    conf.set(HdrfKeys.PLUGINS_DIR, plugins.toString());
    LocalBlocks patient = new LocalBlocks(TimeUnit.DAYS.toNanos(1));
    LocalBlocks impatient = new LocalBlocks(0);
    assertThat(patient.schemes(conf)).isNull();
    assertThat(impatient.schemes(conf)).isNull();
    Files.createDirectory(plugins);
    assertThat(patient.schemes(conf)).as("not at each block").isNull();
    ClientSchemes loaded = impatient.schemes(conf);
    assertThat(loaded).isNotNull();
    assertThat(impatient.schemes(conf)).isSameAs(loaded);
  }
}
