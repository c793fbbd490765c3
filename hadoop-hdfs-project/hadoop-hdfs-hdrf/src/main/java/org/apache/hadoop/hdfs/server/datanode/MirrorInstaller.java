/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.hdfs.server.datanode;

import io.hdrf.datanode.mirror.MirrorSaslClient;
import io.hdrf.datanode.mirror.MirrorSaslServer;
import io.hdrf.datanode.mirror.Mirroring;
import io.hdrf.datanode.mirror.query.BlockKeyProofs;
import io.hdrf.spi.thread.HdrfThreads;
import java.util.concurrent.TimeUnit;

/**
 * Puts HDRF's negotiators in the place of the DataNode's own. The DataNode assigns its own only
 * after it has started the threads that build the dataset, so these are waited for.
 */
public final class MirrorInstaller {

  private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(5);
  private static final long INTERVAL_MILLIS = 5;

  private final DataNode datanode;
  private final Mirroring mirroring;

  private MirrorInstaller(DataNode datanode, Mirroring mirroring) {
    this.datanode = datanode;
    this.mirroring = mirroring;
  }

  /** Installs them as soon as it can be done; returns at once. */
  public static void install(DataNode datanode, Mirroring mirroring) {
    MirrorInstaller installer = new MirrorInstaller(datanode, mirroring);
    if (!installer.installNow()) {
      HdrfThreads.create("hdrf-mirror-installer", installer::awaitAndInstall).start();
    }
  }

  private void awaitAndInstall() {
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    while (datanode.shouldRun && !installNow()) {
      if (System.nanoTime() - deadline > 0) {
        DataNode.LOG.warn("Blocks go to and from this DataNode plain: it does not finish to start");
        return;
      }
      try {
        Thread.sleep(INTERVAL_MILLIS);
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  private boolean installNow() {
    if (datanode.saslClient == null || datanode.saslServer == null) {
      return false;
    }
    DNConf conf = datanode.getDnConf();
    mirroring
        .queries()
        .setProofs(
            new BlockKeyProofs(
                datanode.blockPoolTokenSecretManager,
                poolId ->
                    datanode
                        .getDNRegistrationForBP(poolId)
                        .getExportedKeys()
                        .isBlockTokenEnabled()));
    datanode.saslServer =
        new MirrorSaslServer(conf, datanode.blockPoolTokenSecretManager, mirroring);
    datanode.saslClient =
        new MirrorSaslClient(
            conf.getConf(),
            conf.getSaslPropsResolver(),
            conf.getTrustedChannelResolver(),
            mirroring,
            conf.getSocketWriteTimeout(),
            datanode::newSocket);
    return true;
  }
}
