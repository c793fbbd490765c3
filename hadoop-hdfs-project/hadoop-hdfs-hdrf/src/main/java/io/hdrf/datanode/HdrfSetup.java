/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import io.hdrf.conf.HdrfConf;
import io.hdrf.conf.UsedDirectories;
import io.hdrf.datanode.replica.BlockRecords;
import io.hdrf.datanode.volume.Chains;
import io.hdrf.datanode.volume.DataDirectories;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.spi.io.DurableFiles;
import io.hdrf.spi.io.LocalDurableFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The checked configuration of one DataNode, with its schemes loaded. Made before HDRF opens
 * anything of the DataNode's storage, so that a wrong setting changes nothing of HDRF's there.
 * Stock code has formatted or upgraded its directories by then.
 */
public final class HdrfSetup {

  private static final Logger LOG = LoggerFactory.getLogger(HdrfSetup.class);

  final HdrfConf conf;
  final SchemeRegistry registry;
  final Map<StorageType, SchemeChain> chains;
  final DurableFiles files;
  final boolean dropBehindReads;
  final BlockRecords records;
  final MirroringSetup mirroring;
  final DataDirectories dataDirectories;

  /**
   * @throws IOException names the key that is wrong
   */
  public HdrfSetup(Configuration configuration) throws IOException {
    this(
        configuration,
        LocalDurableFiles.INSTANCE,
        UsedDirectories.installation(HdrfSetup.class).orElse(null));
  }

  /**
   * @param home the Hadoop in which HDRF is installed; null where it is not
   */
  HdrfSetup(Configuration configuration, DurableFiles files, Path home) throws IOException {
    this.files = files;
    UsageCheck.check(configuration);
    conf = new HdrfConf(configuration);
    registry =
        conf.pluginsDirectory() == null
            ? SchemeRegistry.of(Collections.emptyList())
            : SchemeRegistry.load(conf.pluginsDirectory());
    chains = Chains.configured(conf, registry);
    conf.checkMaxBlocks(registry);
    for (String unknown : conf.unknownKeys(registry.names())) {
      LOG.warn("{} is no key of HDRF and has no effect; is it misspelt?", unknown);
    }
    records = new BlockRecords(conf, files);
    dropBehindReads =
        configuration.getBoolean(
            DFSConfigKeys.DFS_DATANODE_DROP_CACHE_BEHIND_READS_KEY,
            DFSConfigKeys.DFS_DATANODE_DROP_CACHE_BEHIND_READS_DEFAULT);
    mirroring = new MirroringSetup(conf, registry, chains);
    dataDirectories = new DataDirectories(configuration, home);
    LOG.info(
        "HDRF stores new blocks with {}; installed schemes: {}; metadata store: {}",
        Chains.anyConfigured(chains) ? Chains.describe(chains) : "no scheme",
        registry.names(),
        records.storeName());
  }
}
