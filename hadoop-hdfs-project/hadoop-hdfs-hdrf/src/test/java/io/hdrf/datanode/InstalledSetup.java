/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import io.hdrf.spi.io.LocalDurableFiles;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;

/** Makes the setup of a DataNode whose Hadoop a key of its configuration names. */
public final class InstalledSetup {

  static final String HOME = "test.hadoop.home";

  private InstalledSetup() {}

  public static HdrfSetup in(Configuration conf) throws IOException {
    String home = conf.get(HOME);
    return new HdrfSetup(conf, LocalDurableFiles.INSTANCE, home == null ? null : Path.of(home));
  }
}
