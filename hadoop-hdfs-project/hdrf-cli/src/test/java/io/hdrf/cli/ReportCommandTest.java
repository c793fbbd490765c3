/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hdrf.admin.AdminEndpoint;
import io.hdrf.admin.BlockSum;
import io.hdrf.admin.HdrfAdminProtocol;
import io.hdrf.admin.JobInfo;
import io.hdrf.admin.RecordPage;
import io.hdrf.admin.VolumeInfo;
import io.hdrf.admin.VolumeUse;
import io.hdrf.admin.WorstBlock;
import io.hdrf.metadata.BlockRecord;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.ipc.ProtobufRpcEngine;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.security.RefreshUserMappingsProtocol;
import org.apache.hadoop.security.authorize.PolicyProvider;
import org.apache.hadoop.security.authorize.Service;
import org.apache.hadoop.security.protocolPB.RefreshUserMappingsProtocolPB;
import org.apache.hadoop.security.protocolPB.RefreshUserMappingsProtocolServerSideTranslatorPB;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** DataNodes' IPC servers, with HDRF's protocol and without. */
@Timeout(60)
class ReportCommandTest {
  private final List<RPC.Server> servers = new ArrayList<>();

  @AfterEach
  void stop() {
    servers.forEach(RPC.Server::stop);
  }

  private String serve(HdrfAdminProtocol hdrf) throws Exception {
    Configuration conf = new Configuration();
    RPC.setProtocolEngine(conf, RefreshUserMappingsProtocolPB.class, ProtobufRpcEngine.class);
    RefreshUserMappingsProtocol stock =
        (RefreshUserMappingsProtocol)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {RefreshUserMappingsProtocol.class},
                (self, method, arguments) -> null);
    Object service =
        java.util.Arrays.stream(
                Class.forName(
                        "org.apache.hadoop.security.proto.RefreshUserMappingsProtocolProtos"
                            + "$RefreshUserMappingsProtocolService")
                    .getMethods())
            .filter(method -> method.getName().equals("newReflectiveBlockingService"))
            .findFirst()
            .orElseThrow()
            .invoke(null, new RefreshUserMappingsProtocolServerSideTranslatorPB(stock));
    RPC.Server server =
        new RPC.Builder(conf)
            .setProtocol(RefreshUserMappingsProtocolPB.class)
            .setInstance(service)
            .setBindAddress("127.0.0.1")
            .setPort(0)
            .build();
    servers.add(server);
    if (hdrf != null) {
      AdminEndpoint.addTo(
          server,
          hdrf,
          conf,
          new PolicyProvider() {
            @Override
            public Service[] getServices() {
              return new Service[0];
            }
          });
    }
    server.start();
    return "127.0.0.1:" + server.getListenerAddress().getPort();
  }

  /** Returns one deduplicated block, whose file is almost empty. */
  private static byte[] page(long after) throws IOException {
    return RecordPage.encode(
        after >= 7
            ? Map.of()
            : Map.of(7L, BlockRecord.reduced(10_240, 100, new int[] {3}, 0, 0).encode()));
  }

  private static VolumeUse use(String directory) {
    return new VolumeUse.Builder("DS-1", "BP-1", directory, "DISK", System.currentTimeMillis())
        .blocks("dedup", new BlockSum(1, 10_240, 100))
        .blocks(VolumeUse.PLAIN, new BlockSum(1, 1024, 1024))
        .reason("Small", 1)
        .files(Map.of("dedup/containers", 2048L, "metadata-embedded", 512L))
        .build();
  }

  private static HdrfAdminProtocol dataNode() {
    return dataNode(JobInfo.State.NONE);
  }

  private static HdrfAdminProtocol dataNode(JobInfo.State state) {
    return dataNode(state, 0);
  }

  private static HdrfAdminProtocol dataNode(JobInfo.State state, int corrupt) {
    String directory = "/data/1/current/BP-1/hdrf";
    JobInfo job =
        new JobInfo("DS-1", "BP-1", directory, "automatic", state, Map.of(), Map.of(), List.of());
    return (HdrfAdminProtocol)
        Proxy.newProxyInstance(
            ReportCommandTest.class.getClassLoader(),
            new Class<?>[] {HdrfAdminProtocol.class},
            (self, method, arguments) ->
                switch (method.getName()) {
                  case "volumes" ->
                      new String[] {
                        new VolumeInfo("DS-1", "BP-1", directory, "embedded", "in step", 5).encode()
                      };
                  case "jobs" -> new String[] {job.encode()};
                  case "startJob" -> null;
                  case "startTask" -> arguments[0];
                    // Nothing is left out.
                  case "task" ->
                      arguments[0].equals("sum")
                          ? new String[] {"done", use(directory).encode()}
                          : new String[] {"done"};
                  case "metrics" -> new String[] {"Pending\t3", "CorruptBlocks\t" + corrupt};
                  case "records" -> page((Long) arguments[2]);
                  default -> throw new IllegalStateException(method.getName());
                });
  }

  /** Returns exit code and standard output. */
  private static Map.Entry<Integer, String> run(String... arguments) {
    PrintStream before = System.out;
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
    try {
      return Map.entry(Main.commandLine().execute(arguments), out.toString(StandardCharsets.UTF_8));
    } finally {
      System.setOut(before);
    }
  }

  @Test
  void whatTheVolumeHoldsIsCountedAndNotItsBlockFilesAlone(@TempDir Path plugins) throws Exception {
    String own = serve(dataNode());
    String options = " --datanode " + own + " --plugins " + plugins;
    Map.Entry<Integer, String> shown = run(("blocks --json" + options).split(" "));
    assertThat(shown.getKey()).isEqualTo(ExitCode.OK);
    JsonNode volume = new ObjectMapper().readTree(shown.getValue()).get("volumes").get(0);
    assertThat(volume.get("blockFileBytes").asLong()).isEqualTo(100);
    assertThat(volume.get("storeBytes").asLong()).isEqualTo(2560);
    assertThat(volume.get("physicalBytes").asLong()).isEqualTo(2660);
    assertThat(run(("blocks" + options).split(" ")).getValue())
        .containsPattern("10.0 KiB +100 B +2.5 KiB +26.0 %");
  }

  /** A volume whose files can't be looked at hides neither its own blocks nor other volumes. */
  @Test
  void whereTheStoresAreNotKnownTheBlocksAreShown(@TempDir Path plugins) throws Exception {
    String unknown = use("/data/1").encode().replace("DISK\t", "DISK\tthe disk may hang");
    String own =
        serve(
            dataNode(
                (method, arguments) ->
                    isSum(method, arguments) ? new String[] {"done", unknown} : null));
    String options = " --datanode " + own + " --plugins " + plugins;
    Map.Entry<Integer, String> shown = run(("blocks --json" + options).split(" "));
    assertThat(shown.getKey()).isEqualTo(ExitCode.FAILED);
    JsonNode json = new ObjectMapper().readTree(shown.getValue());
    JsonNode volume = json.get("volumes").get(0);
    assertThat(volume.get("blockFileBytes").asLong()).isEqualTo(100);
    assertThat(volume.get("storeBytes").isNull()).isTrue();
    assertThat(volume.get("physicalBytes").isNull()).isTrue();
    assertThat(json.get("notLookedAt").toString()).contains("/data/1: the disk may hang");
    assertThat(run(("blocks" + options).split(" ")).getValue())
        .containsPattern("10.0 KiB +100 B +\\? +\\? ");
  }

  private static final String EVIL = "<script>alert('1')</script>&\"\u202e";

  /** All that a DataNode says is text, and stays in its place. */
  @Test
  void thePageOfTheClusterShowsTheSameAndRunsNothing(@TempDir Path directory) throws Exception {
    VolumeUse.Builder evil =
        new VolumeUse.Builder("DS-2", "BP-1", "/data/" + EVIL, EVIL, System.currentTimeMillis())
            .blocks(EVIL, new BlockSum(1, Long.MAX_VALUE / 2, -5))
            .reason(EVIL, 1)
            .files(Map.of(EVIL, 5L))
            .worst(new WorstBlock(Long.MIN_VALUE, 10, Long.MAX_VALUE, EVIL));
    String own =
        serve(
            dataNode(
                (method, arguments) -> {
                  if (method.equals("volumes")) {
                    VolumeInfo info =
                        new VolumeInfo("DS-1", "BP-1", "/data/" + EVIL, EVIL, "down: " + EVIL, 5);
                    return new String[] {info.encode()};
                  }
                  return isSum(method, arguments)
                      ? new String[] {
                        "done",
                        use("/data/1").encode(),
                        evil.build().encode(),
                        evil.obstacle(EVIL).build().encode()
                      }
                      : null;
                }));
    Path file = directory.resolve("hdrf.html");
    Files.writeString(file, "old");
    Map.Entry<Integer, String> shown = run("report", "--html", file.toString(), "--datanode", own);
    assertThat(shown.getKey()).isEqualTo(ExitCode.FAILED);
    assertThat(shown.getValue()).isEmpty();
    assertThat(directory.toFile().list()).containsExactly("hdrf.html");
    String page = Files.readString(file);
    assertThat(page)
        .contains(
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src &#39;none&#39;")
        .contains("dedup/containers", "Not looked at:", own, "&lt;script&gt;alert")
        .doesNotContain("<script", "alert('1')", "\u202e", "http://", "https://", " style=");
    javax.xml.parsers.DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(
            new java.io.ByteArrayInputStream(
                page.replace("<!DOCTYPE html>\n", "")
                    .replaceAll("<(meta[^>]*)>", "<$1/>")
                    .getBytes(java.nio.charset.StandardCharsets.UTF_8)));

    // Where the file can't be written, nothing is left behind, and it is said.
    Path nowhere = directory.resolve("missing").resolve("hdrf.html");
    assertThat(run("report", "--html", nowhere.toString(), "--datanode", own).getKey())
        .isEqualTo(ExitCode.FAILED);
    assertThat(run("report", "/data", "--html", file.toString()).getKey())
        .isEqualTo(ExitCode.USAGE);
  }

  @Test
  void allDataNodesAreShownTogether() throws Exception {
    String own = serve(dataNode());
    String stock = serve(null);
    Map.Entry<Integer, String> good = run("report", "--datanode", own, "--datanode", stock);
    assertThat(good.getKey()).as(good.getValue()).isEqualTo(ExitCode.OK);
    assertThat(good.getValue())
        .contains("Nothing that answers needs attention")
        .contains("2 blocks of 11.0 KiB take 3.6 KiB (32.7 %); saved: 7.4 KiB")
        .containsPattern("dedup +1 +10.0 KiB +100 B +2.0 KiB +2.1 KiB +21.0 %")
        .containsPattern("plain +1 +1.0 KiB +1.0 KiB +0 B +1.0 KiB +100.0 %")
        .containsPattern("what no block uses\\) +0 +0 B +0 B +512 B +512 B")
        .containsPattern("DISK +2 +11.0 KiB +1.1 KiB +2.5 KiB +3.6 KiB")
        .containsPattern(own + " +1 +2 +11.0 KiB +3.6 KiB +32.7 % +3 +5 +in step +automatic")
        .containsPattern(stock + " .*without HDRF")
        .containsPattern("dedup/containers +2.0 KiB")
        .containsPattern("Small +1");
  }

  @Test
  void whatNeedsAttentionComesFirst() throws Exception {
    String own = serve(dataNode(JobInfo.State.FAILED, 2));
    Map.Entry<Integer, String> shown = run("report", "--datanode", own);
    assertThat(shown.getKey()).isEqualTo(ExitCode.DIFFERENT);
    assertThat(shown.getValue())
        .startsWith("Needs attention:")
        .contains(own + ": 2 times a damaged block was found")
        .contains("the conversion broke off");
    JsonNode json =
        new ObjectMapper().readTree(run("report", "--json", "--datanode", own).getValue());
    assertThat(json.get("needsAttention")).hasSize(2);
    assertThat(json.get("dataNodes").get(0).get("metrics").get("CorruptBlocks").asLong())
        .isEqualTo(2);
  }

  @Test
  void aDataNodeThatDoesNotAnswerIsNamedAndStopsNoOther() throws Exception {
    String own = serve(dataNode());
    try (ServerSocket hung = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      String silent = "127.0.0.1:" + hung.getLocalPort();
      String options = " --timeout 5 --parallel 1 --datanode " + silent + " --datanode " + own;
      Map.Entry<Integer, String> bad = run(("report --json" + options).split(" "));
      assertThat(bad.getKey()).isEqualTo(ExitCode.FAILED);
      JsonNode json = new ObjectMapper().readTree(bad.getValue());
      assertThat(json.get("version").asInt()).isEqualTo(1);
      assertThat(json.get("dataNodes")).hasSize(1);
      assertThat(json.get("dataNodes").get(0).get("storeBytes").asLong()).isEqualTo(2560);
      assertThat(json.get("all").get("savedBytes").asLong()).isEqualTo(11_264 - 1_124 - 2_560);
      assertThat(json.get("schemes")).hasSize(2);
      assertThat(json.get("notLookedAt")).hasSize(1);
      assertThat(json.get("notLookedAt").get(0).asText()).contains(silent, "did not answer");
    }
  }

  /** What takes too long goes on in the DataNode; all else is shown. */
  @Test
  void whatIsStillAddedUpIsNamedAndTheRestShown() throws Exception {
    HdrfAdminProtocol whole = dataNode();
    String own =
        serve(
            (HdrfAdminProtocol)
                Proxy.newProxyInstance(
                    getClass().getClassLoader(),
                    new Class<?>[] {HdrfAdminProtocol.class},
                    (self, method, arguments) ->
                        method.getName().equals("task") && arguments[0].equals("sum")
                            ? new String[] {"running", "7 blocks"}
                            : method.invoke(whole, arguments)));
    Map.Entry<Integer, String> shown =
        run(("report --json --timeout 4 --datanode " + own).split(" "));
    assertThat(shown.getKey()).isEqualTo(ExitCode.FAILED);
    JsonNode json = new ObjectMapper().readTree(shown.getValue());
    assertThat(json.get("notLookedAt").get(0).asText())
        .contains(own, "what its blocks take", "goes on", "7 blocks");
    assertThat(json.get("dataNodes").get(0).get("records")).hasSize(1);
  }

  /** Calls for which the function has an answer; the whole DataNode answers the others. */
  private static HdrfAdminProtocol dataNode(
      java.util.function.BiFunction<String, Object[], Object> first) {
    HdrfAdminProtocol whole = dataNode();
    return (HdrfAdminProtocol)
        Proxy.newProxyInstance(
            ReportCommandTest.class.getClassLoader(),
            new Class<?>[] {HdrfAdminProtocol.class},
            (self, method, arguments) -> {
              Object answer = first.apply(method.getName(), arguments);
              if (answer instanceof IOException failure) {
                throw failure;
              }
              return answer == null ? method.invoke(whole, arguments) : answer;
            });
  }

  private static boolean isSum(String method, Object[] arguments) {
    return method.equals("task") && arguments[0].equals("sum");
  }

  private static VolumeUse.Builder down() {
    return new VolumeUse.Builder("DS-2", "BP-1", "/data/2", "SSD", System.currentTimeMillis())
        .obstacle("the store is down")
        .blocks("dedup", new BlockSum(1, 10, 10))
        .files(Map.of("dedup/containers", 1L << 40));
  }

  @Test
  void aVolumeThatIsNotCountedIsInNoSum() throws Exception {
    String own =
        serve(
            dataNode(
                (method, arguments) ->
                    isSum(method, arguments)
                        ? new String[] {"done", use("/data/1").encode(), down().build().encode()}
                        : null));
    Map.Entry<Integer, String> shown = run("report", "--datanode", own);
    assertThat(shown.getKey()).isEqualTo(ExitCode.FAILED);
    assertThat(shown.getValue())
        .contains("2 blocks of 11.0 KiB take 3.6 KiB (32.7 %); saved: 7.4 KiB")
        .contains("In no sum: 1 pools", "1.0 TiB")
        .containsPattern(own + " +2 +2 +11.0 KiB +3.6 KiB +32.7 %")
        .doesNotContain("SSD");
    JsonNode json =
        new ObjectMapper().readTree(run("report", "--json", "--datanode", own).getValue());
    assertThat(json.get("uncounted").get("storeBytes").asLong()).isEqualTo(1L << 40);
    assertThat(json.get("notLookedAt").toString()).contains("/data/2", "the store is down");
    JsonNode volume = json.get("dataNodes").get(0).get("use").get(1);
    assertThat(volume.get("blocks").isNull()).isTrue();
    assertThat(volume.get("savedBytes").isNull()).isTrue();
  }

  @Test
  void whereNothingIsCountedNothingIsSaidOfSavings() throws Exception {
    String own =
        serve(
            dataNode(
                (method, arguments) ->
                    isSum(method, arguments)
                        ? new String[] {"done", down().build().encode()}
                        : null));
    Map.Entry<Integer, String> shown = run("report", "--datanode", own);
    assertThat(shown.getKey()).isEqualTo(ExitCode.FAILED);
    assertThat(shown.getValue())
        .contains("what the blocks take is not known", "In no sum: 1 pools")
        .containsPattern(own + " +1 +\\? +\\? +\\? +\\? +3 +5 ")
        .doesNotContain("saved:", "%");
    JsonNode json =
        new ObjectMapper().readTree(run("report", "--json", "--datanode", own).getValue());
    assertThat(json.get("all").get("savedBytes").isNull()).isTrue();
    assertThat(json.get("garbageBytes").isNull()).isTrue();
  }

  @Test
  void anOlderDataNodeSaysNothingAndNotNaught() throws Exception {
    String own =
        serve(
            dataNode(
                (method, arguments) ->
                    method.equals("metrics")
                            || (method.equals("startTask") && arguments[0].equals("sum"))
                        ? new IOException("This version of HDRF knows no such thing")
                        : null));
    Map.Entry<Integer, String> shown = run("report", "--datanode", own);
    assertThat(shown.getKey()).isEqualTo(ExitCode.FAILED);
    assertThat(shown.getValue())
        .containsPattern(own + " +\\? +\\? +\\? +\\? +\\? +\\? +5 +in step +automatic");
    JsonNode json =
        new ObjectMapper().readTree(run("report", "--json", "--datanode", own).getValue());
    assertThat(json.get("dataNodes").get(0).get("blocks").isNull()).isTrue();
    assertThat(json.get("notLookedAt")).hasSize(2);
  }

  @Test
  void theScrubAndWhatWasHealedAreShown() throws Exception {
    String[] metrics = {
      "DedupScrubCycleDone\t12",
      "DedupScrubCycleOf\t300",
      "DedupScrubEndedAt\t1795708800000",
      "DedupScrubContainersDamaged\t2",
      "DedupHealChunks\t45",
      "DedupHealChunksLeft\t1"
    };
    String own = serve(dataNode((method, arguments) -> method.equals("metrics") ? metrics : null));
    assertThat(run("report", "--datanode", own).getValue())
        .containsPattern("containers read +last whole cycle +damaged +chunks healed +not healed")
        .containsPattern(own + " +12 of 300 +2026-11-26 +2 +45 +1");
    String without = serve(dataNode());
    assertThat(run("report", "--datanode", without).getValue()).doesNotContain("whole cycle");
    metrics[2] = "DedupScrubEndedAt\t0";
    assertThat(run("report", "--datanode", own).getValue())
        .containsPattern(own + " +12 of 300 +- +2 +45 +1");
  }

  @Test
  void whatIsStoredAsDifferencesIsShown() throws Exception {
    String[] metrics = {
      "DedupChunksNew\t100",
      "DedupChunksAsDifferences\t75",
      "DedupBytesAsDifferences\t409600",
      "DedupBytesOfDifferences\t20480",
      "DedupBasesRead\t80"
    };
    String own = serve(dataNode((method, arguments) -> method.equals("metrics") ? metrics : null));
    assertThat(run("report", "--datanode", own).getValue())
        .containsPattern("differences since its start +of new chunks +bytes of these chunks +take")
        .containsPattern(own + " +75 +100 +400.0 KiB +20.0 KiB +80");
    String without = serve(dataNode());
    assertThat(run("report", "--datanode", without).getValue()).doesNotContain("differences");
  }

  @Test
  void indexesInMemoryAreShown() throws Exception {
    String[] metrics = {
      "DedupIndexEntriesInMemory\t6700000",
      "DedupIndexEntriesMemoryBytes\t67108864",
      "DedupIndexContainersToRead\t12"
    };
    String own = serve(dataNode((method, arguments) -> method.equals("metrics") ? metrics : null));
    assertThat(run("report", "--datanode", own).getValue())
        .containsPattern("entries +memory +containers to read for them")
        .containsPattern(own + " +6700000 +64.0 MiB +12");
    metrics[1] = "DedupIndexEntriesMemoryBytes\t0";
    assertThat(run("report", "--datanode", own).getValue()).doesNotContain("to read for them");
  }

  @Test
  void twoPoolsOnAVolumeAreOneVolume() throws Exception {
    String second =
        new VolumeUse.Builder("DS-1", "BP-2", "/data/1", "DISK", System.currentTimeMillis())
            .build()
            .encode();
    String own =
        serve(
            dataNode(
                (method, arguments) ->
                    isSum(method, arguments)
                        ? new String[] {"done", use("/data/1").encode(), second}
                        : null));
    assertThat(run("report", "--datanode", own).getValue())
        .contains("1 DataNode, 1 volume: 2 blocks")
        .containsPattern(own + " +1 +2 ");
  }

  @Test
  void afterAnUnansweredQuestionNothingMoreIsAsked() throws Exception {
    List<String> asked = java.util.Collections.synchronizedList(new ArrayList<>());
    String own =
        serve(
            dataNode(
                (method, arguments) -> {
                  asked.add(method);
                  if (method.equals("jobs")) {
                    try {
                      Thread.sleep(20_000);
                    } catch (InterruptedException e) {
                      Thread.currentThread().interrupt();
                    }
                  }
                  return null;
                }));
    Map.Entry<Integer, String> shown =
        run(("report --json --timeout 4 --datanode " + own).split(" "));
    assertThat(shown.getKey()).isEqualTo(ExitCode.FAILED);
    assertThat(asked).startsWith("volumes", "jobs").doesNotContain("metrics", "startTask");
    assertThat(new ObjectMapper().readTree(shown.getValue()).get("notLookedAt").toString())
        .contains("did not answer within", "what its blocks take: not asked any more");
  }

  @Test
  void sumsThatGrowAreAwaited() throws Exception {
    long began = System.nanoTime();
    String own =
        serve(
            dataNode(
                (method, arguments) -> {
                  long tenths = (System.nanoTime() - began) / 100_000_000;
                  return isSum(method, arguments) && tenths < 60
                      ? new String[] {"running", tenths + " blocks"}
                      : null;
                }));
    Map.Entry<Integer, String> shown = run(("report --timeout 4 --datanode " + own).split(" "));
    assertThat(shown.getKey()).as(shown.getValue()).isEqualTo(ExitCode.OK);
    assertThat(shown.getValue()).contains("2 blocks of 11.0 KiB");
  }

  /** The walk over the NameNode's directories does not wait for a DataNode's answer. */
  @Test
  void aSlowDataNodeDoesNotStopTheWalk() throws Exception {
    java.util.concurrent.CountDownLatch answer = new java.util.concurrent.CountDownLatch(1);
    String own =
        serve(
            dataNode(
                (method, arguments) -> {
                  if (!method.equals("replicas")) {
                    return null;
                  }
                  try {
                    answer.await();
                    return RecordPage.encode(
                        Map.of(1L, BlockRecord.reduced(10, 1, new int[] {3}, 0, 0).encode()));
                  } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                  }
                }));
    RecordTarget.Address address =
        new RecordTarget.Address("dn", NetUtils.createSocketAddr(own), new Configuration());
    try (ReplicaQuestions questions = new ReplicaQuestions(2, 30_000, any -> address)) {
      for (int id = 1; id <= 7000; id++) {
        questions.add(replica("uuid", id));
      }
      answer.countDown();
      ReplicaQuestions.Node asked = questions.finish().iterator().next();
      ReplicaQuestions.Storage storage = asked.storages().values().iterator().next();
      assertThat(asked.failure()).isEmpty();
      assertThat(asked.chains()).contains(List.of(3));
      assertThat(storage.chains()).containsOnly(Map.entry(List.of(3), new BlockSum(1, 10, 1)));
      assertThat(storage.unknown().blocks()).isEqualTo(6999);
    }
  }

  private static LocatedReplica replica(String node, long id) {
    return new LocatedReplica(
        new DatanodeInfo.DatanodeInfoBuilder()
            .setDatanodeUuid(node)
            .setHostName("h")
            .setIpAddr("127.0.0.1")
            .build(),
        "DS-1",
        StorageType.DISK,
        "BP-1",
        id,
        10);
  }

  /** Whose class is loaded where there is no memory. */
  static final class NoMemory {
    static {
      fail();
    }

    private static void fail() {
      throw new OutOfMemoryError("unable to create native thread");
    }
  }

  @Test
  void replicasOfWhichAnErrorTookTheAnswerAreUnknown() throws Exception {
    Configuration conf = new Configuration();
    conf.set("hadoop.rpc.socket.factory.class.default", NoMemory.class.getName());
    RecordTarget.Address address =
        new RecordTarget.Address("dn", NetUtils.createSocketAddr("127.0.0.1:1"), conf);
    try (ReplicaQuestions questions = new ReplicaQuestions(2, 30_000, any -> address)) {
      for (int id = 1; id <= 5000; id++) {
        questions.add(replica("uuid", id));
      }
      ReplicaQuestions.Node asked = questions.finish().iterator().next();
      assertThat(asked.failure()).contains("OutOfMemoryError");
      assertThat(asked.chains()).isEmpty();
      assertThat(asked.storages().values().iterator().next().unknown().blocks()).isEqualTo(5000);
    }
  }

  private static long connections(String address) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("IPC Client"))
        .filter(thread -> thread.getName().contains(address))
        .count();
  }

  /** Hadoop would keep each connection for ten minutes here. */
  @Test
  void fewConnectionsAreOpenHoweverManyDataNodesThereAre() throws Exception {
    java.util.concurrent.atomic.AtomicLong most = new java.util.concurrent.atomic.AtomicLong();
    String[] own = new String[1];
    own[0] =
        serve(
            dataNode(
                (method, arguments) -> {
                  most.accumulateAndGet(connections(own[0]), Math::max);
                  return RecordPage.encode(Map.of(1L, BlockRecord.plain(10, 0, 0, 0).encode()));
                }));
    Configuration conf = new Configuration();
    conf.setInt("ipc.client.connection.maxidletime", 600_000);
    RecordTarget.Address address =
        new RecordTarget.Address("dn", NetUtils.createSocketAddr(own[0]), conf);
    try (ReplicaQuestions questions = new ReplicaQuestions(4, 30_000, any -> address)) {
      for (int node = 1; node <= 100; node++) {
        questions.add(replica("uuid " + node, 1));
      }
      for (ReplicaQuestions.Node asked : questions.finish()) {
        assertThat(asked.failure()).isEmpty();
        assertThat(asked.chains()).containsExactly(List.of());
      }
      // Threads of closed ones may be about to end.
      assertThat(most.get()).isBetween(1L, 40L);
      // The last ones are closed when all have answered.
      while (connections(own[0]) > 0) {
        Thread.sleep(20);
      }
    }
  }

  /** Hadoop's static host table answers, as a name server would. */
  @Test
  void aHostMayHaveAnUnderscoreInItsName() {
    NetUtils.addStaticResolution("dn_1", "127.0.0.1");
    DatanodeInfo node =
        new DatanodeInfo.DatanodeInfoBuilder()
            .setDatanodeUuid("uuid")
            .setHostName("dn_1")
            .setIpAddr("127.0.0.2")
            .setIpcPort(9867)
            .build();
    Configuration conf = new Configuration();
    conf.setBoolean("dfs.client.use.datanode.hostname", true);
    RecordTarget.Address address = RecordTarget.address(node, conf);
    assertThat(address.name()).isEqualTo("dn_1:9867");
    assertThat(address.ipc().getAddress().getHostAddress()).isEqualTo("127.0.0.1");
    assertThat(address.ipc().getPort()).isEqualTo(9867);
    conf.setBoolean("dfs.client.use.datanode.hostname", false);
    assertThat(RecordTarget.address(node, conf).ipc().getAddress().getHostAddress())
        .isEqualTo("127.0.0.2");
  }

  @Test
  void aHostThatIsNotFoundIsNamed() {
    DatanodeInfo node =
        new DatanodeInfo.DatanodeInfoBuilder()
            .setDatanodeUuid("uuid")
            .setHostName("dn_2.invalid")
            .setIpAddr("127.0.0.1")
            .setIpcPort(9867)
            .build();
    Configuration conf = new Configuration();
    conf.setBoolean("dfs.client.use.datanode.hostname", true);
    RecordTarget.Address address = RecordTarget.address(node, conf);
    assertThat(address.ipc().isUnresolved()).isTrue();
    assertThatThrownBy(() -> NodeReport.ask(address, 30_000))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("dn_2.invalid");
  }

  /** The text of thousands of DataNodes takes more memory than all that they answered. */
  @Test
  void jsonIsPrintedWhileItIsMade() throws Exception {
    String[] metrics = new String[2000];
    for (int i = 0; i < metrics.length; i++) {
      metrics[i] = "Metric\u00e4\ud83d\ude00" + i + "\t" + i;
    }
    String own = serve(dataNode((method, arguments) -> method.equals("metrics") ? metrics : null));
    List<String> printed = new ArrayList<>();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream before = System.out;
    System.setOut(
        new PrintStream(bytes, true, StandardCharsets.UTF_8) {
          @Override
          public void print(String text) {
            printed.add(text);
            super.print(text);
          }
        });
    try {
      assertThat(Main.commandLine().execute("report", "--json", "--datanode", own))
          .isEqualTo(ExitCode.OK);
    } finally {
      System.setOut(before);
    }
    String all = bytes.toString(StandardCharsets.UTF_8);
    assertThat(printed).allMatch(text -> text.length() < all.length() / 4);
    JsonNode json = new ObjectMapper().readTree(all);
    assertThat(json.toString()).contains("\"Metric\u00e4\ud83d\ude00" + "1999\":1999");
    assertThat(all).isEqualTo(Json.text(json) + System.lineSeparator());
  }

  @Test
  void aPathIsLookedUpAtTheNameNodeAlone() {
    assertThat(run("report", "/data", "--datanode", "127.0.0.1:1").getKey())
        .isEqualTo(ExitCode.USAGE);
  }

  @ParameterizedTest
  @CsvSource({
    "verify, STOPPED, 3",
    "verify --status, STOPPED, 3",
    "verify --status, NONE, 3",
    "verify, FAILED, 3",
    "verify, DONE, 0",
    "verify --no-wait, RUNNING, 0"
  })
  void whatWasNotVerifiedToItsEndIsNoSuccess(String command, JobInfo.State state, int expected)
      throws Exception {
    String own = serve(dataNode(state));
    Map.Entry<Integer, String> said = run((command + " --json --datanode " + own).split(" "));
    assertThat(said.getKey()).as(said.getValue()).isEqualTo(expected);
    JsonNode gaps = new ObjectMapper().readTree(said.getValue()).get("notLookedAt");
    assertThat(gaps).hasSize(expected == ExitCode.OK ? 0 : 1);
    if (expected != ExitCode.OK) {
      assertThat(gaps.get(0).asText()).contains(own, "the job was not done to its end");
    }
  }

  @Test
  void aDamagedRecordHidesNoOther(@TempDir Path plugins) throws Exception {
    Map<Long, byte[]> values = new TreeMap<>();
    byte[] damaged = BlockRecord.plain(100, 0, 0, 0).encode();
    damaged[8] ^= 1;
    values.put(5L, damaged);
    values.put(6L, new byte[1]);
    values.put(7L, BlockRecord.plain(200, 0, 0, 0).encode());
    HdrfAdminProtocol sound = dataNode();
    String own =
        serve(
            (HdrfAdminProtocol)
                Proxy.newProxyInstance(
                    getClass().getClassLoader(),
                    new Class<?>[] {HdrfAdminProtocol.class},
                    (self, method, arguments) ->
                        method.getName().equals("records") && (Long) arguments[2] < 5
                            ? RecordPage.encode(values)
                            : method.invoke(sound, arguments)));
    Map.Entry<Integer, String> shown =
        run(("blocks --json --unreduced --datanode " + own + " --plugins " + plugins).split(" "));
    assertThat(shown.getKey()).isEqualTo(ExitCode.OK);
    JsonNode found = new ObjectMapper().readTree(shown.getValue());
    JsonNode sums = found.get("volumes").get(0);
    assertThat(sums.get("blocks").asLong()).isEqualTo(3);
    assertThat(sums.get("withoutRecord").asLong()).isEqualTo(2);
    assertThat(found.get("blocks")).hasSize(1);
    assertThat(found.get("blocks").get(0).get("blockId").asLong()).isEqualTo(7);
  }
}
