/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static io.hdrf.datanode.MirrorCounts.sum;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.admin.AdminClient;
import io.hdrf.admin.HdrfAdminProtocol;
import io.hdrf.admin.JobKind;
import io.hdrf.admin.VolumeInfo;
import io.hdrf.block.ReducedBlock;
import io.hdrf.conf.HdrfKeys;
import io.hdrf.io.TestBytes;
import io.hdrf.metadata.StoreStatus;
import io.hdrf.security.JavaProcess;
import io.hdrf.security.Realm;
import io.hdrf.spi.io.ChannelFile;
import io.hdrf.wire.Fallback;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.annotation.Annotation;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PrivilegedExceptionAction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeys;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocolPB.ClientDatanodeProtocolPB;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.HdrfDatasets;
import org.apache.hadoop.http.HttpConfig;
import org.apache.hadoop.ipc.HdrfRpc;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.KerberosInfo;
import org.apache.hadoop.security.SecurityInfo;
import org.apache.hadoop.security.SecurityUtil;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.security.token.TokenInfo;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A cluster with Kerberos, block tokens and SASL, like that of Hadoop's own TestSaslDataTransfer,
 * with HDRF, mirroring, and users of all kinds.
 */
@Timeout(300)
class SecureClusterTest {

  private static final int BLOCK = HdrfCluster.BLOCK_SIZE;
  private static final String POLICY = "security.hdrf.admin.protocol.acl";

  private static Realm realm;
  private static Path operatorKeytab;
  private static Path aliceKeytab;

  private HdrfCluster cluster;

  @BeforeAll
  static void startRealm() throws Exception {
    realm = Realm.start();
    operatorKeytab = realm.addUser("operator");
    aliceKeytab = realm.addUser("alice");
    Path keystore = realm.directory().resolve("keystore");
    System.setProperty("hdrf.test.keystore", keystore.toString());
    System.setProperty("hdrf.test.keystore.password", "changeit");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "localhost",
                "-dname",
                "CN=localhost",
                "-keyalg",
                "EC",
                "-storetype",
                "pkcs12",
                "-storepass",
                "changeit",
                "-keystore",
                keystore.toString())
            .redirectErrorStream(true)
            .start();
    String output = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(keytool.waitFor()).as(output).isZero();
  }

  @AfterAll
  static void stopRealm() {
    realm.close();
  }

  @BeforeEach
  void forget() {
    RecordingSocketFactory.clear();
  }

  @AfterEach
  void stop() {
    SecurityUtil.setSecurityInfoProviders();
    if (cluster != null) {
      cluster.close();
    }
  }

  private static Configuration configuration(String chain, String protection) {
    Configuration conf = HdrfCluster.configuration();
    conf.set(HdrfKeys.SCHEMES, chain);
    conf.setInt("hdrf.metadata.flush.interval", 20);
    conf.setInt("hdrf.mirror.probe.timeout", 60_000);
    conf.setInt("hdrf.mirror.answer.timeout", 10_000);
    conf.set("hdrf.mirror.enabled", "true");
    realm.secure(conf);
    conf.set(DFSConfigKeys.DFS_NAMENODE_KERBEROS_PRINCIPAL_KEY, realm.daemon());
    conf.set(DFSConfigKeys.DFS_NAMENODE_KEYTAB_FILE_KEY, realm.daemonKeytab().toString());
    conf.set(DFSConfigKeys.DFS_DATANODE_KEYTAB_FILE_KEY, realm.daemonKeytab().toString());
    conf.set(DFSConfigKeys.DFS_WEB_AUTHENTICATION_KERBEROS_PRINCIPAL_KEY, realm.web());
    conf.setBoolean(DFSConfigKeys.DFS_BLOCK_ACCESS_TOKEN_ENABLE_KEY, true);
    conf.set(HdfsClientConfigKeys.DFS_DATA_TRANSFER_PROTECTION_KEY, protection);
    conf.set(DFSConfigKeys.DFS_HTTP_POLICY_KEY, HttpConfig.Policy.HTTPS_ONLY.name());
    conf.set(DFSConfigKeys.DFS_NAMENODE_HTTPS_ADDRESS_KEY, "localhost:0");
    conf.set(DFSConfigKeys.DFS_DATANODE_HTTPS_ADDRESS_KEY, "localhost:0");
    conf.setInt(CommonConfigurationKeys.IPC_CLIENT_CONNECT_MAX_RETRIES_ON_SASL_KEY, 10);
    conf.set(DFSConfigKeys.DFS_ADMIN, "operator");
    conf.setClass(
        CommonConfigurationKeys.HADOOP_RPC_SOCKET_FACTORY_CLASS_DEFAULT_KEY,
        RecordingSocketFactory.class,
        javax.net.SocketFactory.class);
    return conf;
  }

  private long wire(String name) {
    return sum(new MirrorCounts(cluster).wire(name));
  }

  private void writeReduced(String path, byte[] data) throws Exception {
    cluster.write(path, data, 3);
    cluster.assertContent(path, data);
    cluster.awaitReplication(path, 3);
    cluster.awaitReduced(path);
    cluster.assertContent(path, data);
  }

  /** Returns stored bytes from the middle of the first frame. */
  private static byte[] storedBytes(File replica) throws IOException {
    Path path = replica.toPath();
    try (ReducedBlock block = ReducedBlock.openUntrusted(path, ChannelFile.open(path))) {
      ByteBuffer stored = ByteBuffer.allocate(block.frames().storedLength(0));
      block.readStored(0, stored);
      return Arrays.copyOfRange(stored.array(), 1000, 1032);
    }
  }

  private void flushedDataIsVisible() throws Exception {
    byte[] data = TestBytes.text(BLOCK, 3);
    try (FSDataOutputStream out = cluster.fs().create(path("/flushed"), (short) 3)) {
      int end = 0;
      for (int step : new int[] {1, 411, 70_001, 200_000}) {
        out.write(data, end, step);
        end += step;
        if (step % 2 == 0) {
          out.hsync();
        } else {
          out.hflush();
        }
        ExtendedBlock block;
        try (FSDataInputStream in = cluster.fs().open(path("/flushed"))) {
          block = DFSTestUtil.getAllBlocks(in).get(0).getBlock();
        }
        for (DataNode datanode : cluster.mini().getDataNodes()) {
          long visible = datanode.getFSDataset().getReplicaVisibleLength(block);
          assertThat(visible).as("on %s", datanode).isGreaterThanOrEqualTo(end);
        }
        TestBytes.assertSame(
            "/flushed", Arrays.copyOf(cluster.read("/flushed"), end), Arrays.copyOf(data, end));
      }
      out.write(data, end, data.length - end);
    }
    cluster.awaitReduced("/flushed");
    cluster.assertContent("/flushed", data);
  }

  private static org.apache.hadoop.fs.Path path(String name) {
    return new org.apache.hadoop.fs.Path(name);
  }

  private void framesAreEncodedOnce() throws Exception {
    writeReduced("/one", TestBytes.text(BLOCK, 1));
    MirrorCounts counts = new MirrorCounts(cluster);
    assertThat(counts.reducer("blocksAdopted")).containsOnly(1);
    assertThat(counts.reducer("framesEncoded")).containsOnly(0);
    long[] encoded = counts.wire("mirrorFramesEncoded");
    assertThat(Arrays.stream(encoded).filter(count -> count > 0)).hasSize(1);
    assertThat(wire("mirrorFramesForwarded")).isEqualTo(sum(encoded));
  }

  /** Re-replication opens connections with the DataNodes' own tokens. */
  private void aStoredBlockIsReplicated() throws Exception {
    byte[] data = TestBytes.text(BLOCK + 54_321, 4);
    cluster.write("/replicated", data, 1);
    cluster.awaitReduced("/replicated");
    cluster.fs().setReplication(path("/replicated"), (short) 3);
    cluster.awaitReplication("/replicated", 3);
    cluster.awaitReduced("/replicated");
    cluster.assertContent("/replicated", data);
    assertThat(wire("mirrorFramesSentAsStored")).isPositive();
  }

  @Test
  void authentication() throws Exception {
    Configuration conf = configuration("lz4", "authentication");
    conf.setBoolean(CommonConfigurationKeys.HADOOP_SECURITY_AUTHORIZATION, true);
    conf.set(POLICY, "hdfs");
    cluster = HdrfCluster.start(conf, 3);
    framesAreEncodedOnce();
    assertThat(RecordingSocketFactory.wereSent(storedBytes(cluster.replicas("/one").get(0))))
        .as("the listener hears what is not encrypted")
        .isTrue();
    aStoredBlockIsReplicated();

    try (AdminClient client = AdminClient.connect(ipcAddress(), conf)) {
      assertThat(client.jobs(JobKind.VERIFY)).hasSize(1);
    }
    as(
        "operator",
        operatorKeytab,
        () -> {
          try (AdminClient client = AdminClient.connect(ipcAddress(), conf)) {
            assertThatThrownBy(client::volumes)
                .as("an administrator whom %s does not name", POLICY)
                .isInstanceOf(AccessControlException.class)
                .hasMessageContaining("operator")
                .hasMessageContaining(
                    "not authorized for protocol interface io.hdrf.admin.HdrfAdminProtocol");
          }
          return null;
        });
  }

  @Test
  void integrityWithReferences() throws Exception {
    cluster = HdrfCluster.start(configuration("dedup,lz4", "integrity"), 3);
    byte[] first = TestBytes.text(2 * BLOCK, 1);
    writeReduced("/first", first);
    long before = wire("mirrorBytesByReference");
    byte[] second = ReferencesTest.nextVersion(first, 2);
    writeReduced("/second", second);
    assertThat(wire("mirrorBytesByReference") - before).isGreaterThan(2L * second.length * 8 / 10);
    assertThat(wire("mirrorProofsRefused")).isZero();
    assertThat(wire("mirrorFallback" + Fallback.ASK_REFUSED.metricName())).isZero();
    assertThat(wire("mirrorFallback" + Fallback.ASK_FAILED.metricName())).isZero();
    flushedDataIsVisible();
  }

  @Test
  void privacy() throws Exception {
    Configuration conf = configuration("lz4", "privacy");
    conf.set(HdrfKeys.METADATA_STORE, "embedded");
    cluster = HdrfCluster.start(conf, 3);
    framesAreEncodedOnce();
    assertThat(RecordingSocketFactory.connections()).isGreaterThanOrEqualTo(2);
    byte[] preamble = {'H', 'D', 'R', 'F', 1, 1};
    assertThat(RecordingSocketFactory.wereSent(preamble)).isFalse();
    assertThat(RecordingSocketFactory.wereSent(storedBytes(cluster.replicas("/one").get(0))))
        .isFalse();
    flushedDataIsVisible();
    aStoredBlockIsReplicated();
    HdrfCluster.await(
        "records to be in step",
        () ->
            cluster.service(0).records().volumes().stream()
                .allMatch(
                    volume ->
                        volume.status().state() == StoreStatus.State.IN_STEP
                            && volume.pending() == 0));
    administratorsAreHeard(conf);
    othersAreRefused(conf);
    theCommandLogsIn();
  }

  private static int descriptors() {
    return new File("/proc/self/fd").list().length;
  }

  /** Returns HDRF's threads that live as long as the DataNode. */
  private static List<Thread> lasting() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(
            thread ->
                thread.getName().matches("hdrf-(reducer|plain-block-scan|records|delayed-tasks).*"))
        .toList();
  }

  /** Attackers have a token for one block, or nothing. */
  @Test
  void othersReachNothingOfABlock() throws Exception {
    Configuration conf = configuration("dedup,lz4", "integrity");
    conf.set("hdrf.mirror.receive.memory", "4m");
    cluster = HdrfCluster.start(conf, 1);
    byte[] data = TestBytes.text(BLOCK, 1);
    byte[] mine = TestBytes.text(BLOCK, 2);
    for (String name : List.of("/victim", "/mine")) {
      cluster.write(name, name.equals("/mine") ? mine : data, 1);
      cluster.awaitReduced(name);
    }
    DataNode datanode = cluster.mini().getDataNodes().get(0);
    LocatedBlock victim = blockOf("/victim");
    LocatedBlock own = blockOf("/mine");
    Token<BlockTokenIdentifier> token =
        cluster
            .mini()
            .getNamesystem()
            .getBlockManager()
            .getBlockTokenSecretManager()
            .generateToken(
                "alice",
                own.getBlock(),
                EnumSet.allOf(BlockTokenIdentifier.AccessMode.class),
                own.getStorageTypes(),
                own.getStorageIDs());
    List<byte[]> secret = new ArrayList<>();
    for (int at = 0; at < data.length; at += 50_000) {
      secret.add(Arrays.copyOfRange(data, at, at + 48));
    }
    List<Thread> before = lasting();
    int open = descriptors();
    for (Token<BlockTokenIdentifier> held : Arrays.asList(token, null)) {
      SecureAdversary adversary =
          new SecureAdversary(conf, datanode, held, own.getBlock(), victim.getBlock());
      adversary.attack(secret);
      adversary.stall(100);
    }
    HdrfCluster.await("no thread to be left", () -> datanode.getXceiverCount() <= 1);
    HdrfCluster.await(
        "all memory to be given back",
        () -> HdrfDatasets.service(datanode).mirroring().memory().taken() == 0);
    HdrfCluster.await("descriptors to be closed", () -> descriptors() < open + 20);
    assertThat(before).isNotEmpty().allMatch(Thread::isAlive);
    cluster.assertContent("/victim", data);
    cluster.assertContent("/mine", mine);
    // The DataNode still works.
    cluster.write("/next", data, 1);
    cluster.awaitReduced("/next");
    cluster.assertContent("/next", data);
  }

  private InetSocketAddress ipcAddress() {
    return new InetSocketAddress("localhost", cluster.mini().getDataNodes().get(0).getIpcPort());
  }

  private LocatedBlock blockOf(String path) throws IOException {
    return cluster.blocks(path).get(0);
  }

  private static void as(String user, Path keytab, PrivilegedExceptionAction<Void> action)
      throws Exception {
    realm.login(user, keytab).doAs(action);
  }

  private void administratorsAreHeard(Configuration conf) throws Exception {
    long blockId = blockOf("/one").getBlock().getBlockId();
    PrivilegedExceptionAction<Void> asking =
        () -> {
          try (AdminClient client = AdminClient.connect(ipcAddress(), conf)) {
            VolumeInfo volume = client.volumes().get(0);
            assertThat(client.records(volume, Long.MIN_VALUE).records()).containsKey(blockId);
            assertThat(client.block(blockId)).anyMatch(line -> line.matches("agree +yes"));
            assertThat(client.check(volume, false)[0]).isNotEqualTo("0");
            assertThat(client.reducedBlocks()).hasSize(1);
          }
          return null;
        };
    UserGroupInformation.getLoginUser().doAs(asking);
    as("operator", operatorKeytab, asking);
  }

  private void othersAreRefused(Configuration conf) throws Exception {
    as(
        "alice",
        aliceKeytab,
        () -> {
          try (AdminClient client = AdminClient.connect(ipcAddress(), conf)) {
            assertThatThrownBy(client::volumes)
                .isInstanceOf(AccessControlException.class)
                .hasMessageContaining(
                    "alice is no administrator: not hdfs, not in the group supergroup, not in"
                        + " dfs.cluster.administrators");
            assertThatThrownBy(() -> client.startJob(JobKind.INFLATE, 0, 1))
                .isInstanceOf(AccessControlException.class);
            assertThatThrownBy(() -> client.block(1)).isInstanceOf(AccessControlException.class);
          }
          return null;
        });
    UserGroupInformation nobody = UserGroupInformation.createRemoteUser("hdfs");
    nobody.doAs(
        (PrivilegedExceptionAction<Void>)
            () -> {
              assertThatThrownBy(() -> AdminClient.connect(ipcAddress(), conf))
                  .isInstanceOf(AccessControlException.class)
                  .hasMessageContaining("hdfs has no Kerberos ticket: run kinit");
              try (HdrfRpc.Connection<HdrfAdminProtocol> own = connection(conf, nobody)) {
                assertThatThrownBy(() -> own.proxy().volumes())
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("Client cannot authenticate via:[TOKEN, KERBEROS]");
              }
              return null;
            });
    aBlockTokenIsNotEnough(conf);
  }

  /** DataNodes accept block tokens for some of HDFS's own calls; this token is the superuser's. */
  private void aBlockTokenIsNotEnough(Configuration conf) throws Exception {
    Token<?> token = blockOf("/one").getBlockToken();
    SecurityUtil.setTokenService(token, ipcAddress());
    UserGroupInformation bearer = UserGroupInformation.createRemoteUser("bearer");
    bearer.addToken(token);
    SecurityUtil.setSecurityInfoProviders(
        new SecurityInfo() {
          @Override
          public KerberosInfo getKerberosInfo(Class<?> protocol, Configuration conf) {
            return annotation(protocol, KerberosInfo.class);
          }

          @Override
          public TokenInfo getTokenInfo(Class<?> protocol, Configuration conf) {
            return annotation(
                protocol == HdrfAdminProtocol.class ? ClientDatanodeProtocolPB.class : protocol,
                TokenInfo.class);
          }
        });
    try (HdrfRpc.Connection<HdrfAdminProtocol> own = connection(conf, bearer)) {
      assertThatThrownBy(
              () -> bearer.doAs((PrivilegedExceptionAction<String[]>) own.proxy()::volumes))
          .isInstanceOf(RemoteException.class)
          .hasMessageContaining("hdfs came with a token; administrators come with Kerberos");
    }
    SecurityUtil.setSecurityInfoProviders();
  }

  private static <T extends Annotation> T annotation(Class<?> type, Class<T> annotation) {
    return type.getAnnotation(annotation);
  }

  /** Returns a connection like that of a client that an attacker may have made. */
  private HdrfRpc.Connection<HdrfAdminProtocol> connection(
      Configuration conf, UserGroupInformation user) throws IOException {
    return new HdrfRpc.Connection<>(HdrfAdminProtocol.class, ipcAddress(), user, 0, conf);
  }

  /** Writes configuration files like those of an administrator's host. */
  private Path configurationDirectory(String name, Configuration core, Configuration hdfs)
      throws IOException {
    Path directory = Files.createDirectories(realm.directory().resolve(name));
    for (String file : List.of("core-site.xml", "hdfs-site.xml")) {
      try (OutputStream out = Files.newOutputStream(directory.resolve(file))) {
        (file.startsWith("core") ? core : hdfs).writeXml(out);
      }
    }
    return directory;
  }

  private JavaProcess command(Path configuration, String... words) throws IOException {
    List<String> arguments = new ArrayList<>(List.of("io.hdrf.cli.Main"));
    arguments.addAll(List.of(words));
    arguments.addAll(List.of("--conf", configuration.toString()));
    arguments.addAll(List.of("--datanode", "localhost:" + ipcAddress().getPort()));
    return new JavaProcess(realm, JavaProcess.ownClassPath(), arguments.toArray(new String[0]));
  }

  /**
   * Writes configuration files that fit the cluster.
   *
   * @param daemon the DataNodes' principal
   */
  private Path secureDirectory(String name, String daemon) throws IOException {
    return secureDirectory(name, daemon, new Configuration(false));
  }

  private Path secureDirectory(String name, String daemon, Configuration core) throws IOException {
    realm.secure(core);
    core.unset(DFSConfigKeys.DFS_DATANODE_KERBEROS_PRINCIPAL_KEY);
    core.setInt(CommonConfigurationKeys.IPC_CLIENT_CONNECT_MAX_RETRIES_ON_SASL_KEY, 1);
    return configurationDirectory(name, core, withDaemon(daemon));
  }

  private static Configuration withDaemon(String principal) {
    Configuration hdfs = new Configuration(false);
    hdfs.set(DFSConfigKeys.DFS_DATANODE_KERBEROS_PRINCIPAL_KEY, principal);
    return hdfs;
  }

  private void theCommandLogsIn() throws Exception {
    Path secure = secureDirectory("conf", realm.daemon());
    String blockId = Long.toString(blockOf("/one").getBlock().getBlockId());
    String plugins = System.getProperty("hdrf.test.plugins");

    JavaProcess.Result byKeytab =
        command(secure, "blocks", "--plugins", plugins)
            .withKeytab(realm.principal("operator"), operatorKeytab)
            .run();
    assertThat(byKeytab.output()).contains("embedded, in step");
    assertThat(byKeytab.status()).as(byKeytab.output()).isZero();

    JavaProcess.Result byTicket =
        command(secure, "block", blockId)
            .with("KRB5CCNAME", realm.ticketCache("operator", operatorKeytab).toString())
            .run();
    assertThat(byTicket.output()).containsPattern("agree +yes");
    assertThat(byTicket.status()).as(byTicket.output()).isZero();

    assertRefused(
        command(secure, "block", blockId).withKeytab(realm.principal("alice"), aliceKeytab),
        "alice is no administrator");
    assertRefused(command(secure, "block", blockId), "has no Kerberos ticket: run kinit");
    Path insecure =
        configurationDirectory("insecure", new Configuration(false), withDaemon(realm.daemon()));
    assertRefused(
        command(insecure, "block", blockId).with("HADOOP_USER_NAME", "hdfs"),
        "SIMPLE authentication is not enabled");
  }

  @Test
  void hostsInPrincipals() throws Exception {
    String daemon = realm.principal("hdfs/_HOST");
    Configuration conf = configuration("lz4", "authentication");
    conf.set(HdrfKeys.METADATA_STORE, "embedded");
    conf.set(DFSConfigKeys.DFS_DATANODE_HOST_NAME_KEY, Realm.HOST);
    conf.set(DFSConfigKeys.DFS_DATANODE_KERBEROS_PRINCIPAL_KEY, daemon);
    cluster = HdrfCluster.start(conf, 1);
    try (AdminClient client = AdminClient.connect(ipcAddress(), conf)) {
      assertThat(client.volumes()).hasSize(1);
    }
    String plugins = System.getProperty("hdrf.test.plugins");
    JavaProcess.Result result =
        command(secureDirectory("hosts", daemon), "blocks", "--plugins", plugins)
            .withKeytab(realm.principal("operator"), operatorKeytab)
            .run();
    assertThat(result.output()).contains("embedded");
    assertThat(result.status()).as(result.output()).isZero();
    assertRefused(
        command(secureDirectory("wrong", realm.principal("dn/_HOST")), "block", "1")
            .withKeytab(realm.principal("operator"), operatorKeytab),
        realm.daemon() + ", expecting: dn/" + Realm.HOST);
  }

  /**
   * The rules cover the realm's daemons, and only users of another realm. A DataNode with such
   * rules hangs up in the middle of a user's login.
   */
  @Test
  void usersOfARealmWithoutARule() throws Exception {
    String rules = "RULE:[2:$1@$0](.*@EXAMPLE.COM)s/@.*//\nRULE:[1:$1@$0](.*@OTHER.ORG)s/@.*//";
    Configuration conf = configuration("lz4", "authentication");
    conf.set(CommonConfigurationKeys.HADOOP_SECURITY_AUTH_TO_LOCAL, rules);
    cluster = HdrfCluster.start(conf, 1);
    String operator = realm.principal("operator");
    assertRefused(
        command(secureDirectory("other-rules", realm.daemon()), "block", "1")
            .withKeytab(operator, operatorKeytab),
        "Couldn't setup connection for " + operator,
        "hadoop.security.auth_to_local");

    Configuration core = new Configuration(false);
    core.set(CommonConfigurationKeys.HADOOP_SECURITY_AUTH_TO_LOCAL, rules);
    assertRefused(
        command(secureDirectory("same-rules", realm.daemon(), core), "block", "1")
            .withKeytab(operator, operatorKeytab),
        "No rules applied to " + operator);
  }

  private static void assertRefused(JavaProcess process, String... messages) throws Exception {
    JavaProcess.Result result = process.run();
    assertThat(result.output()).contains(messages);
    assertThat(result.output()).doesNotContain("\tat ");
    assertThat(result.status()).as(result.output()).isEqualTo(3);
  }
}
