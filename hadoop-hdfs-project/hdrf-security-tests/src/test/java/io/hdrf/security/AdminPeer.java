/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.security;

import io.hdrf.admin.AdminClient;
import io.hdrf.admin.AdminEndpoint;
import io.hdrf.admin.HdrfAdminProtocol;
import io.hdrf.admin.JobKind;
import io.hdrf.admin.RecordPage;
import io.hdrf.admin.VolumeInfo;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.Collections;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.RefreshUserMappingsProtocol;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.authorize.PolicyProvider;
import org.apache.hadoop.security.authorize.Service;
import org.apache.hadoop.security.protocolPB.RefreshUserMappingsProtocolClientSideTranslatorPB;
import org.apache.hadoop.security.protocolPB.RefreshUserMappingsProtocolPB;
import org.apache.hadoop.security.protocolPB.RefreshUserMappingsProtocolServerSideTranslatorPB;
import org.apache.hadoop.util.VersionInfo;

/**
 * One side of the administrators' protocol in its own JVM, on the Hadoop of its class path. The
 * server also serves a protocol of Hadoop's by protobuf, as a DataNode does; parts that differ
 * between Hadoop's versions of protobuf are reached by reflection.
 *
 * <p>It uses nothing but hadoop-common, HDRF and the JDK.
 */
public final class AdminPeer {

  private static final String PROTOCOL_SERVICE =
      "org.apache.hadoop.security.proto.RefreshUserMappingsProtocolProtos"
          + "$RefreshUserMappingsProtocolService";

  /** The beginning of every line that this prints. */
  static final String MARK = "> ";

  private AdminPeer() {}

  /**
   * {@code serve CONF PRINCIPAL KEYTAB} prints its port and serves until its input ends; {@code ask
   * CONF PORT} prints the answers.
   */
  public static void main(String[] args) throws Exception {
    Configuration conf = new Configuration();
    conf.addResource(new Path(args[1]));
    UserGroupInformation.setConfiguration(conf);
    RPC.setProtocolEngine(conf, RefreshUserMappingsProtocolPB.class, protobufEngine());
    say("Hadoop " + VersionInfo.getVersion());
    if (args[0].equals("serve")) {
      UserGroupInformation.loginUserFromKeytab(args[2], args[3]);
      serve(conf);
    } else {
      ask(conf, new InetSocketAddress("localhost", Integer.parseInt(args[2])));
    }
  }

  /** Prints a line, marked to differ from Hadoop's log. */
  private static void say(String line) {
    System.out.println(MARK + line);
  }

  /** Returns the engine that this Hadoop's own protocols use. */
  private static Class<?> protobufEngine() throws ClassNotFoundException {
    try {
      return Class.forName("org.apache.hadoop.ipc.ProtobufRpcEngine2");
    } catch (ClassNotFoundException e) {
      return Class.forName("org.apache.hadoop.ipc.ProtobufRpcEngine");
    }
  }

  private static void serve(Configuration conf) throws Exception {
    RPC.Server server =
        new RPC.Builder(conf)
            .setProtocol(RefreshUserMappingsProtocolPB.class)
            .setInstance(stockService())
            .setBindAddress("127.0.0.1")
            .setPort(0)
            .build();
    PolicyProvider stock =
        new PolicyProvider() {
          @Override
          public Service[] getServices() {
            return new Service[] {
              new Service("security.stock.protocol.acl", RefreshUserMappingsProtocol.class),
              new Service("security.stock.protocol.acl", RefreshUserMappingsProtocolPB.class)
            };
          }
        };
    server.refreshServiceAcl(conf, stock);
    AdminEndpoint.addTo(server, new Answers(), conf, stock);
    server.start();
    say("port " + server.getListenerAddress().getPort());
    while (System.in.read() >= 0) {
      continue;
    }
    server.stop();
    System.exit(0);
  }

  private static Object stockService() throws ReflectiveOperationException {
    Object translator =
        new RefreshUserMappingsProtocolServerSideTranslatorPB(
            new RefreshUserMappingsProtocol() {
              @Override
              public void refreshUserToGroupsMappings() {}

              @Override
              public void refreshSuperUserGroupsConfiguration() throws IOException {
                throw new IOException("the stock protocol's own error");
              }
            });
    return Arrays.stream(Class.forName(PROTOCOL_SERVICE).getMethods())
        .filter(method -> method.getName().equals("newReflectiveBlockingService"))
        .findFirst()
        .orElseThrow()
        .invoke(null, translator);
  }

  private static void ask(Configuration conf, InetSocketAddress address) throws IOException {
    try (AdminClient client = AdminClient.connect(address, conf)) {
      VolumeInfo volume = client.volumes().get(0);
      say("volumes " + volume.encode().replace('\t', ' '));
      say("records " + client.records(volume, -7).records().keySet());
      say("block " + Arrays.toString(client.block(Long.MIN_VALUE)));
      say("check " + Arrays.toString(client.check(volume, true)));
      client.startJob(JobKind.VERIFY, 1L << 40, 0.25);
      try {
        client.rebuild(volume, line -> {});
      } catch (IOException e) {
        say("rebuild " + e.getClass().getSimpleName() + " " + e.getMessage());
      }
      try {
        client.reclaim(volume);
      } catch (IOException e) {
        say("reclaim " + e.getClass().getSimpleName() + " " + e.getMessage());
      }
    } catch (AccessControlException e) {
      say("refused " + e.getMessage());
    }
    stock(conf, address);
    foreign(conf, address);
  }

  /** Sends a request of the engine that creates objects from the bytes it reads. */
  @SuppressWarnings("deprecation")
  private static void foreign(Configuration conf, InetSocketAddress address) throws IOException {
    RPC.setProtocolEngine(
        conf, HdrfAdminProtocol.class, org.apache.hadoop.ipc.WritableRpcEngine.class);
    HdrfAdminProtocol proxy = RPC.getProxy(HdrfAdminProtocol.class, 1, address, conf);
    try {
      say("foreign " + proxy.block(1).length);
    } catch (IOException e) {
      say("foreign " + e.getMessage());
    } finally {
      RPC.stopProxy(proxy);
    }
  }

  private static void stock(Configuration conf, InetSocketAddress address) throws IOException {
    RefreshUserMappingsProtocolPB proxy =
        RPC.getProxy(
            RefreshUserMappingsProtocolPB.class,
            RPC.getProtocolVersion(RefreshUserMappingsProtocolPB.class),
            address,
            conf);
    try (RefreshUserMappingsProtocolClientSideTranslatorPB client =
        new RefreshUserMappingsProtocolClientSideTranslatorPB(proxy)) {
      client.refreshUserToGroupsMappings();
      say("stock answers");
    }
  }

  /** Answers with the request. */
  private static final class Answers implements HdrfAdminProtocol {
    private String job = "none";

    @Override
    public String[] volumes() throws IOException {
      return new String[] {new VolumeInfo("DS-1", "BP-1", "/d", "embedded", "ü", 3).encode()};
    }

    @Override
    public byte[] records(String storageId, String poolId, long after, int limit)
        throws IOException {
      return RecordPage.encode(Collections.singletonMap(after * limit, null));
    }

    @Override
    public String[] block(long blockId) throws IOException {
      return new String[] {Long.toString(blockId)};
    }

    @Override
    public String[] schemeStores() throws IOException {
      return new String[0];
    }

    @Override
    public void startJob(String kind, long rate, double fraction) throws IOException {
      job = kind + " " + rate + " " + fraction;
    }

    @Override
    public void stopJob(String kind) throws IOException {}

    @Override
    public String[] jobs(String kind) throws IOException {
      return new String[0];
    }

    @Override
    public byte[] replicas(String poolId, byte[] blockIds) {
      return blockIds;
    }

    @Override
    public String[] metrics() {
      return new String[0];
    }

    @Override
    public String startTask(String kind, String storageId, String poolId) throws IOException {
      if (kind.equals("reclaim")) {
        throw new AccessControlException("not here");
      }
      if (kind.equals("rebuild")) {
        throw new IOException("not after " + job);
      }
      return kind + " " + storageId + " " + poolId;
    }

    @Override
    public String[] task(String id) {
      return ("done " + id).split(" ");
    }
  }
}
