/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.io.TestBytes;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.ReconfigurationException;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.HdrfDatasets;

/** Changes how a running DataNode measures use, as Hadoop 3.3 and later let administrators do. */
final class UsageReconfiguration {

  private static final String KEY = "fs.getspaceused.classname";
  private static final String INTERVAL = "fs.du.interval";
  private static final String DU = "org.apache.hadoop.fs.DU";

  private UsageReconfiguration() {}

  /** A class that adds up logical lengths is refused, and use is measured on as before. */
  static void assertChecked(HdrfCluster cluster, Path directory) throws Exception {
    int size = 4 * HdrfCluster.BLOCK_SIZE;
    cluster.write("/used", TestBytes.text(size, 5), 1);
    cluster.awaitReduced("/used");
    assertThat(cluster.used(0)).isLessThan(size / 2);
    DataNode datanode = cluster.datanode(0);

    String[] classes = {
      "org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.ReplicaCachingGetSpaceUsed",
      "org.apache.hadoop.fs.WindowsGetSpaceUsed"
    };
    for (String name : classes) {
      assertThatThrownBy(() -> reconfigure(datanode, directory, KEY, name))
          .isInstanceOf(ReconfigurationException.class)
          .cause()
          .hasMessageContaining(KEY)
          .hasMessageContaining(name)
          .hasMessageContaining("logical lengths");
      assertThat(HdrfDatasets.usageClasses(datanode, cluster.pool())).containsOnly(DU);
    }

    reconfigure(datanode, directory, KEY, "org.apache.hadoop.fs.DFCachingGetSpaceUsed");
    assertThat(HdrfDatasets.usageClasses(datanode, cluster.pool()))
        .containsOnly("org.apache.hadoop.fs.DFCachingGetSpaceUsed");
    assertThatThrownBy(() -> reconfigure(datanode, directory, KEY, null))
        .isInstanceOf(ReconfigurationException.class)
        .cause()
        .hasMessageContaining(KEY + " is unset")
        .hasMessageContaining(DU);
    reconfigure(datanode, directory, KEY, DU);
    assertThat(HdrfDatasets.usageClasses(datanode, cluster.pool())).containsOnly(DU);
    reconfigure(datanode, directory, INTERVAL, "3600001");
    HdrfCluster.await(
        "the use to be measured", () -> cluster.used(0) > 0 && cluster.used(0) < size / 2);
  }

  /** As {@code dfsadmin -reconfig} does, with a configuration file that has the new value. */
  private static void reconfigure(DataNode datanode, Path directory, String key, String value)
      throws IOException, ReconfigurationException {
    Configuration site = new Configuration(false);
    String usage = datanode.getConf().get(KEY);
    if (usage != null) {
      site.set(KEY, usage);
    }
    set(site, key, value);
    Path file = directory.resolve("hdfs-site.xml");
    try (var out = Files.newOutputStream(file)) {
      site.writeXml(out);
    }
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(with(file, before));
    try {
      String effective = datanode.reconfigurePropertyImpl(key, value);
      set(datanode.getConf(), key, value == null ? null : effective);
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  private static void set(Configuration conf, String key, String value) {
    if (value == null) {
      conf.unset(key);
    } else {
      conf.set(key, value);
    }
  }

  private static ClassLoader with(Path file, ClassLoader parent) {
    return new ClassLoader(parent) {
      @Override
      public URL getResource(String name) {
        try {
          return name.equals(file.getFileName().toString())
              ? file.toUri().toURL()
              : super.getResource(name);
        } catch (MalformedURLException e) {
          throw new AssertionError(e);
        }
      }
    };
  }
}
