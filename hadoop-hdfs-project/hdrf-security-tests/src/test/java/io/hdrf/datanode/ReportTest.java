/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.hdrf.cli.Ran;
import io.hdrf.conf.HdrfKeys;
import io.hdrf.io.TestBytes;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PrivilegedExceptionAction;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.ContentSummary;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code hdrf report} and {@code hdrf blocks} with the DataNodes of a cluster. */
@Timeout(300)
class ReportTest {

  private static final int BLOCK = HdrfCluster.BLOCK_SIZE;
  private static final String CODED = "RS-3-2-1024k";

  @TempDir private Path directory;
  private HdrfCluster cluster;

  @AfterEach
  void stop() {
    if (cluster != null) {
      cluster.close();
    }
  }

  private static Configuration configuration(String chain) {
    Configuration conf = HdrfCluster.configuration();
    conf.set(HdrfKeys.SCHEMES, chain);
    conf.setInt("hdrf.metadata.flush.interval", 20);
    conf.set(DFSConfigKeys.DFS_ADMIN, "alice");
    return conf;
  }

  private static org.apache.hadoop.fs.Path path(String name) {
    return new org.apache.hadoop.fs.Path(name);
  }

  private Ran hdrf(String... words) {
    try {
      for (String file : List.of("core-site.xml", "hdfs-site.xml")) {
        try (OutputStream out = Files.newOutputStream(directory.resolve(file))) {
          cluster.conf().writeXml(out);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    List<String> all = new ArrayList<>(List.of(words));
    all.addAll(List.of("--conf", directory.toString()));
    all.addAll(List.of("--plugins", System.getProperty("hdrf.test.plugins")));
    return Ran.of(all.toArray(new String[0]));
  }

  private JsonNode report(String... words) throws IOException {
    List<String> all = new ArrayList<>(List.of("report", "--json"));
    all.addAll(List.of(words));
    return hdrf(all.toArray(new String[0])).json();
  }

  private void awaitBlocks(long blocks) throws InterruptedException {
    // A block is recorded as plain until it is reduced, or looked at and left.
    cluster.awaitReduced();
    for (int i = 0; i < cluster.mini().getDataNodes().size(); i++) {
      HdrfService service = cluster.service(i);
      HdrfCluster.await("records to be written", () -> service.records().pending() == 0);
    }
    HdrfCluster.await(
        blocks + " recorded blocks",
        () -> {
          try {
            JsonNode report = report();
            return report.get("all").get("blocks").asLong() == blocks
                && report.get("dataNodes").toString().contains("in step")
                && !report.get("dataNodes").toString().contains("compared");
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  /** The lengths of HDRF's own files of all DataNodes. */
  private long ownFiles() {
    long sum = 0;
    for (int i = 0; i < cluster.mini().getDataNodes().size(); i++) {
      sum += cluster.lengths(i, "/current/" + cluster.pool() + "/hdrf/");
    }
    return sum;
  }

  private static JsonNode named(JsonNode list, String field, String name) {
    for (JsonNode each : list) {
      if (each.get(field).asText().equals(name)) {
        return each;
      }
    }
    throw new AssertionError(name + " is not in " + list);
  }

  @Test
  void theWholeClusterIsShownAndWhatIsDownIsNamed() throws Exception {
    cluster =
        HdrfCluster.start(
            configuration("dedup,lz4"),
            builder ->
                builder
                    .numDataNodes(3)
                    .storagesPerDatanode(2)
                    .storageTypes(new StorageType[] {StorageType.DISK, StorageType.DISK}));
    cluster.write("/text", TestBytes.text(10 * BLOCK, 11), 3);
    cluster.awaitReduced("/text");
    cluster.write("/small", new byte[100], 3);
    awaitBlocks(33);

    JsonNode report = report();
    JsonNode all = report.get("all");
    assertThat(all.get("logicalBytes").asLong()).isEqualTo(3L * (10 * BLOCK + 100));
    long takes = all.get("physicalBytes").asLong();
    assertThat(takes).isBetween(3L * 2 * BLOCK, 3L * 8 * BLOCK);
    assertThat(all.get("storeBytes").asLong())
        .isCloseTo(ownFiles(), org.assertj.core.data.Offset.offset(1L << 20));
    assertThat(all.get("savedBytes").asLong()).isEqualTo(all.get("logicalBytes").asLong() - takes);
    JsonNode chain = named(report.get("schemes"), "chain", "dedup,lz4");
    assertThat(chain.get("blocks").asLong()).isEqualTo(30);
    // The recipes are short; the containers hold the data.
    assertThat(chain.get("blockFileBytes").asLong()).isLessThan(BLOCK);
    assertThat(chain.get("storeBytes").asLong()).isGreaterThan(3L * 2 * BLOCK);
    assertThat(named(report.get("schemes"), "chain", "plain").get("blocks").asLong()).isEqualTo(3);
    assertThat(named(report.get("storageTypes"), "type", "DISK").get("blocks").asLong())
        .isEqualTo(33);
    assertThat(report.get("plainReasons").get("Small").asLong()).isEqualTo(3);
    assertThat(report.get("storeDirectories").get("dedup/containers").asLong())
        .isGreaterThan(3L * 2 * BLOCK);
    assertThat(report.get("notLookedAt")).isEmpty();
    assertThat(report.get("needsAttention")).isEmpty();
    assertThat(report.get("dataNodes")).hasSize(3);

    String plugins = System.getProperty("hdrf.test.plugins");
    String address = "localhost:" + cluster.mini().getDataNodes().get(0).getIpcPort();
    JsonNode volumes =
        Ran.of("blocks", "--json", "--datanode", address, "--plugins", plugins)
            .json()
            .get("volumes");
    long physical = 0;
    long logical = 0;
    for (JsonNode volume : volumes) {
      physical += volume.get("physicalBytes").asLong();
      logical += volume.get("logicalBytes").asLong();
    }
    assertThat((double) physical / logical).isBetween(0.2, 0.8);

    Ran table = hdrf("report");
    System.out.println(table.out());
    assertThat(table.code()).isZero();
    assertThat(table.out()).startsWith("Nothing that answers needs attention.");

    String stopped = cluster.mini().getDataNodes().get(2).getDisplayName();
    cluster.mini().stopDataNode(2);
    Ran without = hdrf("report", "--json", "--timeout", "10");
    assertThat(without.code()).as(stopped).isEqualTo(3);
    assertThat(without.json().get("dataNodes")).hasSize(2);
    assertThat(without.json().get("all").get("blocks").asLong()).isEqualTo(22);
    assertThat(without.json().get("notLookedAt")).hasSize(1);
  }

  @Test
  void whatADirectoryTakesIsWhatItsReplicasTake() throws Exception {
    cluster = HdrfCluster.start(configuration("lz4"), 5);
    byte[] text = TestBytes.text(3 * BLOCK + 200_000, 5);
    byte[] random = new byte[2 * BLOCK + 77];
    new Random(2).nextBytes(random);
    cluster.fs().mkdirs(path("/data/deep/er"));
    cluster.write("/data/deep/er/text", text, 3);
    cluster.write("/data/random", random, 2);
    cluster.write("/data/empty", new byte[0], 1);
    cluster.fs().enableErasureCodingPolicy(CODED);
    cluster.fs().mkdirs(path("/coded"));
    cluster.fs().setErasureCodingPolicy(path("/coded"), CODED);
    cluster.write("/coded/file", TestBytes.text(4 * BLOCK + 99_999, 7), 1);
    cluster.awaitReduced("/data/deep/er/text");
    cluster.awaitReduced();
    // Two groups: the first of 3 data and 2 parity blocks, the second of 2 and 2.
    long coded = 5 + 4;
    awaitBlocks(4 * 3 + 3 * 2 + coded);

    JsonNode root = report("/");
    ContentSummary du = cluster.fs().getContentSummary(path("/"));
    assertThat(root.get("length").asLong()).isEqualTo(du.getLength());
    assertThat(root.get("files").asLong()).isEqualTo(du.getFileCount());
    assertThat(root.get("directories").asLong()).isEqualTo(du.getDirectoryCount());
    assertThat(root.get("replicas").get("logicalBytes").asLong()).isEqualTo(du.getSpaceConsumed());
    JsonNode all = report().get("all");
    assertThat(root.get("replicas").get("blocks")).isEqualTo(all.get("blocks"));
    assertThat(root.get("replicas").get("logicalBytes")).isEqualTo(all.get("logicalBytes"));
    assertThat(root.get("replicas").get("blockFileBytes")).isEqualTo(all.get("blockFileBytes"));
    assertThat(root.get("erasureCodedFiles").asLong()).isEqualTo(1);
    assertThat(root.get("notLookedAt")).isEmpty();

    JsonNode data = report("/data");
    assertThat(data.get("replicas").get("logicalBytes").asLong())
        .isEqualTo(3L * text.length + 2L * random.length);
    JsonNode lz4 = named(data.get("schemes"), "chain", "lz4");
    assertThat(lz4.get("logicalBytes").asLong()).isGreaterThanOrEqualTo(3L * 3 * BLOCK);
    assertThat(lz4.get("blockFileBytes").asLong()).isLessThan(3L * 2 * BLOCK);
    assertThat(named(data.get("schemes"), "chain", "plain").get("logicalBytes").asLong())
        .isGreaterThanOrEqualTo(2L * random.length);
    JsonNode code = report("/coded/file");
    assertThat(code.get("replicas").get("blocks").asLong()).isEqualTo(coded);
    assertThat(code.get("directories").asLong()).isZero();
    System.out.println(hdrf("report", "/").out());
    assertThat(hdrf("report", "/nowhere").code()).isEqualTo(3);

    openFilesCountAsTheyAre();
    snapshotsAreNotCounted(text);
    onlyAdministratorsAndOnlyWhatTheyMayList();
  }

  @Test
  void withoutRecordsNothingIsSaidOfSavings() throws Exception {
    Configuration conf = configuration("dedup,lz4");
    conf.set(HdrfKeys.METADATA_STORE, "none");
    cluster = HdrfCluster.start(conf, 1);
    cluster.write("/text", TestBytes.text(2 * BLOCK, 11), 1);
    cluster.awaitReduced("/text");
    Ran text = hdrf("report", "--json", "/text");
    assertThat(text.code()).isEqualTo(3);
    JsonNode replicas = text.json().get("replicas");
    assertThat(replicas.get("logicalBytes").asLong()).isEqualTo(2L * BLOCK);
    assertThat(replicas.get("blockFileBytes").asLong()).isLessThan(BLOCK);
    assertThat(replicas.get("storeBytes").isNull()).isTrue();
    assertThat(replicas.get("savedBytes").isNull()).isTrue();
    assertThat(named(text.json().get("schemes"), "chain", "dedup,lz4").get("blocks").asLong())
        .isEqualTo(2);
    assertThat(text.json().get("notLookedAt").toString()).contains("no records are kept");
    assertThat(hdrf("report", "/text").out()).contains("take ? (?); saved: ?");

    Ran all = hdrf("report", "--json");
    assertThat(all.code()).isEqualTo(3);
    assertThat(all.json().get("all").get("blocks").isNull()).isTrue();
    assertThat(all.json().get("uncounted").get("storeBytes").asLong()).isPositive();
    assertThat(hdrf("report").out()).contains("what the blocks take is not known");
  }

  /** The DataNodes' sums are needed for what lies in stores alone. */
  @Test
  void blocksWithoutAStoreAreKnownWithoutRecords() throws Exception {
    Configuration conf = configuration("lz4");
    conf.set(HdrfKeys.METADATA_STORE, "none");
    cluster = HdrfCluster.start(conf, 1);
    cluster.write("/text", TestBytes.text(2 * BLOCK, 11), 1);
    cluster.awaitReduced("/text");
    Ran text = hdrf("report", "--json", "/text");
    assertThat(text.code()).as(text.out()).isZero();
    JsonNode lz4 = named(text.json().get("schemes"), "chain", "lz4");
    assertThat(lz4.get("storeBytes").asLong()).isZero();
    assertThat(lz4.get("savedBytes").asLong()).isPositive();
  }

  private void openFilesCountAsTheyAre() throws IOException {
    byte[] data = TestBytes.text(BLOCK + 5000, 9);
    try (FSDataOutputStream out = cluster.fs().create(path("/open/file"), (short) 2)) {
      out.write(data);
      out.hsync();
      JsonNode open = report("/open");
      assertThat(open.get("openFiles").asLong()).isEqualTo(1);
      assertThat(open.get("blocks").asLong()).isEqualTo(2);
      assertThat(open.get("length").asLong())
          .isEqualTo(cluster.fs().getContentSummary(path("/open")).getLength());
      assertThat(open.get("replicas").get("blocks").asLong()).isEqualTo(4);
      assertThat(open.get("replicas").get("logicalBytes").asLong()).isEqualTo(2L * data.length);
    }
  }

  private void snapshotsAreNotCounted(byte[] text) throws IOException {
    cluster.fs().allowSnapshot(path("/data"));
    cluster.fs().createSnapshot(path("/data"), "s1");
    cluster.fs().delete(path("/data/deep"), true);
    ContentSummary du = cluster.fs().getContentSummary(path("/data"));
    JsonNode now = report("/data");
    assertThat(du.getSnapshotLength()).isEqualTo(text.length);
    assertThat(now.get("length").asLong()).isEqualTo(du.getLength() - du.getSnapshotLength());
    assertThat(now.get("files").asLong()).isEqualTo(2);
    assertThat(hdrf("report", "/data/.snapshot").code()).isEqualTo(2);
    JsonNode before = report("/data/.snapshot/s1");
    assertThat(before.get("files").asLong()).isEqualTo(3);
    assertThat(named(before.get("schemes"), "chain", "lz4").get("logicalBytes").asLong())
        .isGreaterThanOrEqualTo(3L * 3 * BLOCK);
  }

  private void onlyAdministratorsAndOnlyWhatTheyMayList() throws Exception {
    cluster.fs().mkdirs(path("/shared/secret"));
    cluster.write("/shared/secret/file", new byte[1000], 1);
    cluster.write("/shared/file", new byte[2000], 1);
    cluster.fs().setPermission(path("/shared/secret"), new FsPermission((short) 0700));
    assertThat(report("/shared").get("files").asLong()).isEqualTo(2);

    Ran alice = as("alice", "report", "--json", "/shared");
    assertThat(alice.code()).isEqualTo(3);
    assertThat(alice.json().get("files").asLong()).isEqualTo(1);
    assertThat(alice.json().get("replicas").get("logicalBytes").asLong()).isEqualTo(2000);
    assertThat(alice.json().get("notLookedAt")).hasSize(1);
    assertThat(alice.json().get("notLookedAt").get(0).asText())
        .contains("/shared/secret is not counted", "Permission denied");
    assertThat(as("alice", "report", "/shared/secret").code()).isEqualTo(3);
    for (int i = 0; i < 25; i++) {
      org.apache.hadoop.fs.Path secret = path("/many/secret" + i);
      cluster.fs().mkdirs(secret);
      cluster.fs().setPermission(secret, new FsPermission((short) 0700));
    }
    JsonNode many = as("alice", "report", "--json", "/many").json().get("notLookedAt");
    assertThat(many).hasSize(21);
    assertThat(many.get(20).asText()).startsWith("5 more directories are not counted");

    Ran bob = as("bob", "report", "--json", "/shared/file");
    assertThat(bob.code()).isEqualTo(3);
    assertThat(bob.json().get("replicas").get("blocks").asLong()).isZero();
    assertThat(bob.json().get("unknownReplicas").get("blocks").asLong()).isEqualTo(1);
    assertThat(bob.json().get("notLookedAt").toString()).contains("bob is no administrator");
  }

  private Ran as(String user, String... words) throws Exception {
    return UserGroupInformation.createUserForTesting(user, new String[] {"users"})
        .doAs((PrivilegedExceptionAction<Ran>) () -> hdrf(words));
  }
}
