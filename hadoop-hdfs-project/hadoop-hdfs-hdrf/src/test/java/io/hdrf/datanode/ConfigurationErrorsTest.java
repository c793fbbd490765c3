/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.io.TestBytes;
import java.io.IOException;
import java.nio.file.Files;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Rule 15: with a wrong value the DataNode does not start, and the message names the accepted
 * values.
 */
class ConfigurationErrorsTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "hdrf.schemes | lz5 | hdrf.schemes | no scheme \"lz5\"; installed in | lz4 (id",
        "hdrf.schemes | lz4,lz4 | hdrf.schemes | lz4 | ",
        "hdrf.schemes | lz4,,lz4 | hdrf.schemes | lz4 | ",
        "hdrf.schemes.ARCHIVE | zz | hdrf.schemes.ARCHIVE | no scheme \"zz\" | lz4 (id",
        "hdrf.schemes.RAM_DISK | lz4 | hdrf.schemes.RAM_DISK | DISK, SSD and ARCHIVE | must be none",
        "hdrf.schemes.PROVIDED | lz4 | hdrf.schemes.PROVIDED | DISK, SSD and ARCHIVE | ",
        "hdrf.schemes.archive | lz4 | hdrf.schemes.archive | DISK, SSD and ARCHIVE | ",
        "hdrf.schemes.TAPE | lz4 | hdrf.schemes.TAPE | DISK, SSD and ARCHIVE | ",
        "hdrf.plugins.dir | /no/such/place | hdrf.plugins.dir | /no/such/place | a directory",
        "hdrf.plugins.dir | '' | hdrf.plugins.dir | must be | hdrf.schemes names schemes",
        "hdrf.reduce.threads | -1 | hdrf.reduce.threads | from 0 to 1024 | \"-1\"",
        "hdrf.reduce.threads | many | hdrf.reduce.threads | a whole number | \"many\"",
        "hdrf.reduce.queue.length | -1 | hdrf.reduce.queue.length | from 1 to | \"-1\"",
        "hdrf.reduce.min.block.size | 1x | hdrf.reduce.min.block.size | size in bytes | \"1x\"",
        "hdrf.reduce.nice | 20 | hdrf.reduce.nice | from 0 to 19 | \"20\"",
        "hdrf.reduce.scan.interval | 0 | hdrf.reduce.scan.interval | from 1 to | \"0\"",
        "hdrf.reduce.during.upgrade | 1 | hdrf.reduce.during.upgrade | true or false | \"1\"",
        "hdrf.read.cache.size | -1 | hdrf.read.cache.size | from 0 to | \"-1\"",
        "hdrf.read.ahead.threads | 1000 | hdrf.read.ahead.threads | from 0 to 256 | \"1000\"",
        "hdrf.mirror.enabled | on | hdrf.mirror.enabled | true or false | \"on\"",
        "hdrf.mirror.scheme | none | hdrf.mirror.scheme | hdrf.mirror.enabled | \"none\"",
        "hdrf.mirror.scheme | dedup,lz4 | hdrf.mirror.scheme | work on frames | \"dedup,lz4\"",
        "hdrf.mirror.scheme | hadoop-codec | hdrf.mirror.scheme | on every DataNode | work on",
        "hdrf.mirror.peer.expiry | 0 | hdrf.mirror.peer.expiry | from 1 to | \"0\"",
        "hdrf.mirror.answer.timeout | 10001 | hdrf.mirror.answer.timeout | from 1 to 10000 | 10001",
        "hdrf.mirror.probe.timeout | 5 | hdrf.mirror.probe.timeout | from 10 to | \"5\"",
        "hdrf.filter.exclude.regex | a(b | hdrf.filter.exclude.regex | RE2 syntax | \"a(b\"",
        "hdrf.filter.min.age | -1 | hdrf.filter.min.age | from 0 to | \"-1\"",
        "hdrf.schemes | shuffle | hdrf.schemes | a scheme behind | as in \"shuffle,zstd\"",
        "hdrf.schemes | lz4,shuffle | hdrf.schemes | a scheme behind | \"lz4,shuffle\"",
        "hdrf.mirror.scheme | shuffle | hdrf.mirror.scheme | a scheme behind | \"shuffle\"",
        "hdrf.lz4.max.blocks | 2000 | hdrf.lz4.max.blocks | from 0 to 1024 | \"2000\"",
        "fs.getspaceused.classname"
            + " | org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.ReplicaCachingGetSpaceUsed"
            + " | fs.getspaceused.classname | another class | logical lengths",
        "fs.getspaceused.classname | org.apache.hadoop.fs.WindowsGetSpaceUsed"
            + " | fs.getspaceused.classname | another class | logical lengths",
      })
  void aWrongValueIsRefused(String key, String value, String first, String second, String third) {
    Configuration conf = HdrfCluster.configuration();
    conf.set(key, value);
    assertThatThrownBy(() -> new HdrfSetup(conf))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(first)
        .hasMessageContaining(second)
        .hasMessageContaining(third == null ? key : third);
  }

  /** The whole way: the DataNode exits. */
  @ParameterizedTest
  @CsvSource({"hdrf.reduce.threads,-1", "hdrf.lz4.frame.size,1"})
  void aDataNodeWithAWrongValueExits(String key, String value) throws Exception {
    Configuration conf = HdrfCluster.configuration();
    try (HdrfCluster cluster = HdrfCluster.start(conf, builder -> builder.numDataNodes(0))) {
      Configuration wrong = new Configuration(conf);
      wrong.set(key, value);
      cluster.mini().startDataNodes(wrong, 1, true, null, null);
      DataNode datanode = cluster.datanode(0);
      HdrfCluster.await("the DataNode to exit", () -> !datanode.isDatanodeUp());
    }
  }

  /** A key that states the fact is allowed. */
  @Test
  void storageThatIsNeverReducedMayBeNamed() throws Exception {
    Configuration conf = HdrfCluster.configuration();
    conf.set("hdrf.schemes.RAM_DISK", "none");
    assertThat(new HdrfSetup(conf)).isNotNull();
  }

  /** One configuration may serve DataNodes of several lines of Hadoop. */
  @Test
  void aStorageTypeOfLaterLinesMayBeNamed() throws Exception {
    Configuration conf = HdrfCluster.configuration();
    conf.set("hdrf.schemes.NVDIMM", "none");
    assertThat(new HdrfSetup(conf)).isNotNull();
  }

  /** Without schemes and jars HDRF does nothing. */
  @Test
  void withoutSchemesNothingIsNeeded() throws Exception {
    Configuration conf = HdrfCluster.configuration();
    conf.unset("hdrf.schemes");
    conf.unset("hdrf.plugins.dir");
    try (HdrfCluster cluster = HdrfCluster.start(conf, 1, 1)) {
      byte[] data = TestBytes.text(300_000, 91);
      cluster.write("/file", data, 1);
      TestBytes.assertSame("the file", cluster.read("/file"), data);
      assertThat(Files.exists(cluster.hdrfDirectory(cluster.volumes(0).get(0)))).isFalse();
      assertThatThrownBy(() -> cluster.dataset(0).getBlockLocalPathInfo(cluster.block("/file")))
          .isInstanceOf(IOException.class);
    }
  }
}
