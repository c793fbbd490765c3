/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import io.hdrf.admin.AdminClient;
import io.hdrf.admin.JobInfo;
import io.hdrf.admin.JobKind;
import io.hdrf.admin.ReducedBlocks;
import io.hdrf.admin.ReferenceReport;
import io.hdrf.admin.VolumeInfo;
import io.hdrf.metadata.BlockRecord;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;

/** Asks a DataNode. */
final class RunningDataNode implements RecordSource {
  private static final Pattern COMPARING = Pattern.compile(".*compared, (\\d+) blocks.*");
  private static final String IN_STEP = "in step";
  private static final String NOT_IN_STEP = "not in step";
  private static final String DOWN = "down";
  private static final int COUNTS = 5;

  private final InetSocketAddress address;
  private final AdminClient client;

  private RunningDataNode(InetSocketAddress address, AdminClient client) {
    this.address = address;
    this.client = client;
  }

  /**
   * Connects to its IPC server.
   *
   * @param timeoutMillis how long it may leave a question unanswered
   */
  static RunningDataNode connect(InetSocketAddress address, Configuration conf, int timeoutMillis)
      throws IOException {
    return new RunningDataNode(address, AdminClient.connect(address, conf, timeoutMillis));
  }

  @Override
  public String name() {
    return address.getHostString() + ":" + address.getPort();
  }

  @Override
  public Map<String, Long> storeBytes() throws IOException {
    return client.storeBytes();
  }

  @Override
  public List<VolumeInfo> volumes() throws IOException {
    return client.volumes();
  }

  @Override
  public Map<Long, BlockRecord> records(VolumeInfo volume, long after) throws IOException {
    return client.records(volume, after).records();
  }

  @Override
  public List<String> block(long blockId) throws IOException {
    return Arrays.asList(client.block(blockId));
  }

  @Override
  public Check check(VolumeInfo volume, boolean repair, Progress progress) throws IOException {
    String[] lines = client.check(volume, repair, line -> progress.set(Long.parseLong(line)));
    long[] counts = new long[COUNTS];
    try {
      for (int i = 0; i < COUNTS; i++) {
        counts[i] = Long.parseLong(lines[i]);
      }
    } catch (RuntimeException e) {
      throw new IOException(name() + " answers something else: " + Arrays.toString(lines), e);
    }
    return new Check(
        counts[0],
        counts[1],
        counts[2],
        counts[3],
        counts[4],
        Arrays.asList(lines).subList(COUNTS, lines.length));
  }

  @Override
  public void rebuild(VolumeInfo volume, Progress progress) throws IOException {
    client.rebuild(volume);
    boolean begun = false;
    while (true) {
      pause();
      VolumeInfo now = current(volume);
      Matcher comparing = COMPARING.matcher(now.status());
      if (comparing.matches()) {
        begun = true;
        progress.set(Long.parseLong(comparing.group(1)));
      } else if (now.status().startsWith(DOWN)) {
        throw new IOException(volume.directory() + ": the store is " + now.status());
      } else if (now.status().startsWith(NOT_IN_STEP) && begun) {
        throw new IOException(volume.directory() + ": the store is " + now.status());
      } else if (now.status().startsWith(IN_STEP) && begun) {
        return;
      } else if (now.status().startsWith(IN_STEP) || now.status().startsWith(NOT_IN_STEP)) {
        begun = true;
      }
    }
  }

  @Override
  public List<VolumeInfo> schemeStores() throws IOException {
    return client.schemeStores();
  }

  @Override
  public List<String> reclaim(VolumeInfo volume, Progress progress) throws IOException {
    return Arrays.asList(client.reclaim(volume, progress::say));
  }

  @Override
  public ReferenceReport checkReferences(VolumeInfo volume) throws IOException {
    return client.checkReferences(volume);
  }

  @Override
  public void startJob(JobKind kind, long rate, double fraction) throws IOException {
    client.startJob(kind, rate, fraction);
  }

  @Override
  public void stopJob(JobKind kind) throws IOException {
    client.stopJob(kind);
  }

  @Override
  public List<JobInfo> jobs(JobKind kind) throws IOException {
    return client.jobs(kind);
  }

  @Override
  public List<ReducedBlocks> reducedBlocks() throws IOException {
    return client.reducedBlocks();
  }

  private VolumeInfo current(VolumeInfo volume) throws IOException {
    for (VolumeInfo info : client.volumes()) {
      if (info.storageId().equals(volume.storageId()) && info.poolId().equals(volume.poolId())) {
        return info;
      }
    }
    throw new IOException(volume.directory() + " left service");
  }

  private static void pause() throws IOException {
    try {
      Thread.sleep(500);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted", e);
    }
  }

  @Override
  public void close() {
    client.close();
  }
}
