/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.conf.HdrfKeys;
import io.hdrf.io.TestBytes;
import io.hdrf.metadata.StoreStatus;
import io.hdrf.metadata.VolumeRecords;
import io.hdrf.reduce.SkipReason;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.RollingUpgradeAction;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.SafeModeAction;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.FsVolumeImpl;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Which block files the scan after a start reads. The kernel counts: it sets the time of a file's
 * last access at the first read of one that was not read for a day (mount option {@code relatime}).
 */
class FirstScanTest {

  private static final int TEXTS = 12;

  private HdrfCluster cluster;
  private final Map<String, byte[]> texts = new TreeMap<>();

  private static Configuration configuration() {
    Configuration conf = HdrfCluster.configuration();
    conf.set(HdrfKeys.PLUGINS_DIR, System.getProperty("hdrf.test.plugins.with.store"));
    conf.setInt("hdrf.metadata.flush.interval", 20);
    conf.setInt("hdrf.metadata.check.interval", 100);
    conf.setInt(DFSConfigKeys.DFS_DATANODE_SCAN_PERIOD_HOURS_KEY, -1);
    return conf;
  }

  @BeforeEach
  void start() throws Exception {
    cluster = HdrfCluster.start(configuration(), 1, 2);
    for (int i = 0; i < TEXTS; i++) {
      byte[] text = TestBytes.text(200_000 + i, i);
      texts.put("/text" + i, text);
      cluster.write("/text" + i, text, 1);
    }
    cluster.write("/small", TestBytes.text(100, 1), 1);
    cluster.write("/noise", TestBytes.noise(200_000, 1), 1);
    for (String text : texts.keySet()) {
      cluster.awaitReduced(text);
    }
    awaitSettled();
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  /** Waits until the scan was through, and every record is written. */
  private void awaitSettled() throws Exception {
    HdrfCluster.await("every block to be settled", () -> unsettled().isEmpty());
    cluster.awaitReduced();
    HdrfCluster.await(
        "records to be in step",
        () ->
            records().stream()
                .allMatch(
                    volume ->
                        volume.status().state() == StoreStatus.State.IN_STEP
                            && volume.pending() == 0));
  }

  private List<VolumeRecords> records() {
    return cluster.service(0).records().volumes();
  }

  private List<String> names() {
    List<String> names = new ArrayList<>(texts.keySet());
    names.add("/small");
    names.add("/noise");
    return names;
  }

  private Set<String> unsettled() {
    Set<String> found = new TreeSet<>();
    for (String name : names()) {
      try {
        long saved =
            cluster.service(0).knownSaving(cluster.pool(), cluster.block(name).getBlockId());
        if (saved == HdrfService.UNKNOWN) {
          found.add(name);
        }
      } catch (IOException e) {
        found.add(name);
      }
    }
    return found;
  }

  private Map<String, Path> files() throws IOException {
    Map<String, Path> files = new TreeMap<>();
    for (String name : names()) {
      files.put(name, cluster.file(0, cluster.block(name)).toPath());
    }
    return files;
  }

  private static final FileTime LONG_AGO = FileTime.from(Instant.now().minus(Duration.ofDays(3)));

  private static void forgetReads(Map<String, Path> files) throws IOException {
    for (Path file : files.values()) {
      Files.setAttribute(file, "lastAccessTime", LONG_AGO);
    }
  }

  private static boolean wasRead(Path file) throws IOException {
    FileTime read = (FileTime) Files.getAttribute(file, "lastAccessTime");
    return read.toMillis() - LONG_AGO.toMillis() > 60_000;
  }

  /** The names of the files that a start with these changes reads. */
  private Set<String> readByAStart(HdrfCluster.Interlude whileDown) throws Exception {
    return readByAStart(configuration(), whileDown);
  }

  private Set<String> readByAStart(Configuration conf, HdrfCluster.Interlude whileDown)
      throws Exception {
    Map<String, Path> files = files();
    cluster.restartAs(
        conf,
        () -> {
          forgetReads(files);
          whileDown.run();
        });
    awaitSettled();
    Set<String> read = new TreeSet<>();
    for (Map.Entry<String, Path> file : files.entrySet()) {
      if (wasRead(file.getValue())) {
        read.add(file.getKey());
      }
    }
    return read;
  }

  private long looks(SkipReason reason) {
    return cluster.service(0).counters().skippedFor(reason);
  }

  private void deleteMarks() throws IOException {
    for (Path directory : hdrfDirectories) {
      Files.delete(directory.resolve("metadata.state"));
    }
  }

  private final List<Path> hdrfDirectories = new ArrayList<>();

  private void noteDirectories() throws IOException {
    for (FsVolumeImpl volume : cluster.volumes(0)) {
      hdrfDirectories.add(cluster.hdrfDirectory(volume));
    }
  }

  @Test
  void whatRecordsVouchForIsNotRead() throws Exception {
    noteDirectories();
    assertThat(readByAStart(() -> {})).isEmpty();
    assertThat(readByAStart(() -> {})).as("records last for more than one start").isEmpty();
    assertThat(looks(SkipReason.ALREADY_REDUCED)).isZero();
    assertThat(looks(SkipReason.SMALL)).isZero();
    for (Map.Entry<String, byte[]> text : texts.entrySet()) {
      assertThat(
              cluster
                  .service(0)
                  .knownSaving(cluster.pool(), cluster.block(text.getKey()).getBlockId()))
          .isPositive();
      TestBytes.assertSame(text.getKey(), cluster.read(text.getKey()), text.getValue());
    }

    Set<String> withoutMark = readByAStart(this::deleteMarks);
    assertThat(withoutMark).as("without a mark nothing is vouched for").containsAll(texts.keySet());
  }

  /** What is not worth storing now may be with other settings. */
  @Test
  void blocksThatStayedPlainAreReadWithOtherRules() throws Exception {
    assertThat(cluster.isReduced(0, cluster.block("/noise"))).isFalse();
    Configuration other = configuration();
    other.setInt("hdrf.mirror.probe.timeout", 4000);
    assertThat(readByAStart(other, () -> {})).as("nothing that decides").isEmpty();
    other.set("hdrf.filter.exclude.keywords", "nowhere");
    assertThat(readByAStart(other, () -> {})).containsExactly("/noise");
    assertThat(readByAStart(other, () -> {})).as("its record has the new rules").isEmpty();
    assertThat(readByAStart(() -> {})).as("and not the old ones").containsExactly("/noise");
  }

  /** By a tool that restores files, or a disk's repair. */
  @Test
  void whatWasReplacedBehindTheRecordsIsRead() throws Exception {
    Map<String, Path> files = files();
    Path plain = files.get("/text3");
    Path touched = files.get("/text5");
    Set<String> read =
        readByAStart(
            () -> {
              Path copy = plain.resolveSibling("copy");
              Files.write(copy, texts.get("/text3"));
              Files.move(copy, plain, StandardCopyOption.REPLACE_EXISTING);
              Files.setAttribute(plain, "lastAccessTime", LONG_AGO);
              Files.setLastModifiedTime(touched, FileTime.from(Instant.now()));
              Files.setAttribute(touched, "lastAccessTime", LONG_AGO);
            });
    assertThat(read).contains("/text5").doesNotContain("/text1", "/text4", "/small");
    // A round may offer it again before it is settled.
    assertThat(looks(SkipReason.ALREADY_REDUCED)).isPositive();
    cluster.awaitReduced("/text3");
    for (Map.Entry<String, byte[]> text : texts.entrySet()) {
      TestBytes.assertSame(text.getKey(), cluster.read(text.getKey()), text.getValue());
    }
  }

  /** Rule 8: nothing is reduced before it ends, so nothing needs to be looked at. */
  @Test
  void anOpenUpgradeCostsNoReads() throws Exception {
    cluster.mini().getNameNodeRpc().setSafeMode(SafeModeAction.SAFEMODE_ENTER, false);
    cluster.fs().rollingUpgrade(RollingUpgradeAction.PREPARE);
    cluster.mini().getNameNodeRpc().setSafeMode(SafeModeAction.SAFEMODE_LEAVE, false);
    cluster.mini().triggerHeartbeats();
    Path marker =
        HdrfCluster.poolDirectory(cluster.volumes(0).get(0), cluster.pool())
            .resolve("RollingUpgradeInProgress");
    HdrfCluster.await("the marker", () -> Files.exists(marker));
    Map<String, Path> files = files();
    cluster.restartDataNodes();
    cluster.mini().waitActive();
    HdrfCluster.await(
        "records to be compared",
        () ->
            records().size() == 2
                && records().stream()
                    .allMatch(volume -> volume.status().state() == StoreStatus.State.IN_STEP));
    forgetReads(files);
    for (int round = 0; round < 3; round++) {
      cluster.service(0).changes().wakeScan();
      Thread.sleep(1_200);
    }
    for (Map.Entry<String, Path> file : files.entrySet()) {
      assertThat(wasRead(file.getValue())).as(file.getKey()).isFalse();
    }
    assertThat(looks(SkipReason.UPGRADE)).as("blocks offered to the Reducer").isZero();
    cluster.fs().rollingUpgrade(RollingUpgradeAction.FINALIZE);
    cluster.mini().triggerHeartbeats();
    awaitSettled();
  }

  /** Else the other tests tell nothing. */
  @Test
  void theKernelTellsWhatIsRead() throws Exception {
    File file = File.createTempFile("read", null, HdrfCluster.testData().toFile());
    Files.write(file.toPath(), new byte[1]);
    Files.setAttribute(file.toPath(), "lastAccessTime", LONG_AGO);
    assertThat(wasRead(file.toPath())).isFalse();
    Files.readAllBytes(file.toPath());
    assertThat(wasRead(file.toPath())).as("read; is it mounted with noatime?").isTrue();
    Files.delete(file.toPath());
  }
}
