/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.hdfs.server.datanode;

import java.io.IOException;
import java.net.ConnectException;
import java.util.concurrent.CountDownLatch;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocolPB.DatanodeProtocolClientSideTranslatorPB;
import org.apache.hadoop.hdfs.server.protocol.DatanodeRegistration;
import org.apache.hadoop.hdfs.server.protocol.HeartbeatResponse;
import org.apache.hadoop.hdfs.server.protocol.SlowDiskReports;
import org.apache.hadoop.hdfs.server.protocol.SlowPeerReports;
import org.apache.hadoop.hdfs.server.protocol.StorageReport;
import org.apache.hadoop.hdfs.server.protocol.VolumeFailureSummary;

/**
 * Stands between the next DataNode that starts, which has one NameNode, and that one, from before
 * the first heartbeat on.
 */
public final class HeartbeatGate implements AutoCloseable {

  private final DataNodeFaultInjector before = DataNodeFaultInjector.get();
  private final CountDownLatch registered = new CountDownLatch(1);
  private final CountDownLatch inPlace = new CountDownLatch(1);
  private final CountDownLatch open = new CountDownLatch(1);
  private volatile boolean reachable;
  private volatile int failed;
  private volatile int held;

  /** Stops the DataNode once it has registered. */
  public HeartbeatGate() {
    DataNodeFaultInjector.set(
        new DataNodeFaultInjector() {
          @Override
          public void startOfferService() throws Exception {
            registered.countDown();
            inPlace.await();
          }
        });
  }

  /** Lets it go on; all its heartbeats fail. */
  public void putBefore(DataNode datanode) throws IOException, InterruptedException {
    registered.await();
    BPServiceActor actor = datanode.getAllBpOs().get(0).getBPServiceActors().get(0);
    actor.setNameNode(new Gate(actor, datanode.getConf()));
    inPlace.countDown();
  }

  /** How many heartbeats have failed. */
  public int failed() {
    return failed;
  }

  /** Has the NameNode answer from now on; the DataNode does not get the answers. */
  public void hold() {
    reachable = true;
  }

  /** How many answers are, or were, held. */
  public int held() {
    return held;
  }

  /** Gives the DataNode all answers. */
  @Override
  public void close() {
    reachable = true;
    open.countDown();
    inPlace.countDown();
    DataNodeFaultInjector.set(before);
  }

  private final class Gate extends DatanodeProtocolClientSideTranslatorPB {

    Gate(BPServiceActor actor, Configuration conf) throws IOException {
      super(actor.getNNSocketAddress(), conf);
    }

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread
    public HeartbeatResponse sendHeartbeat(
        DatanodeRegistration registration,
        StorageReport[] reports,
        long cacheCapacity,
        long cacheUsed,
        int xmitsInProgress,
        int xceiverCount,
        int failedVolumes,
        VolumeFailureSummary volumeFailureSummary,
        boolean requestFullBlockReportLease,
        SlowPeerReports slowPeers,
        SlowDiskReports slowDisks)
        throws IOException {
      if (!reachable) {
        failed++;
        throw new ConnectException("the gate is closed");
      }
      HeartbeatResponse answer =
          super.sendHeartbeat(
              registration,
              reports,
              cacheCapacity,
              cacheUsed,
              xmitsInProgress,
              xceiverCount,
              failedVolumes,
              volumeFailureSummary,
              requestFullBlockReportLease,
              slowPeers,
              slowDisks);
      held++;
      try {
        open.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      return answer;
    }
  }
}
