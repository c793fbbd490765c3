/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.admin.HdrfAdminProtocol;
import io.hdrf.datanode.HadoopLine;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeys;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * One jar of hdrf-core serves administrators on Hadoop 3.1 and on 3.3, whose protobuf classes
 * differ, and either talks to the other; both with Kerberos and service-level authorization.
 */
@Timeout(120)
class HadoopLinesTest {

  private static final String FOREIGN = "foreign Unknown rpc kind in rpc headerRPC_WRITABLE";

  private static final List<String> ANSWERS =
      List.of(
          "volumes DS-1 BP-1 /d embedded \u00fc 3",
          "records [-70000]",
          "block [-9223372036854775808]",
          "check [repair, DS-1, BP-1]",
          "rebuild IOException not after verify 1099511627776 0.25",
          "reclaim AccessControlException not here",
          "stock answers",
          FOREIGN);

  private static final String PORT = AdminPeer.MARK + "port ";

  private static Realm realm;
  private static Path operatorKeytab;
  private static Path aliceKeytab;
  private static Path configuration;

  @BeforeAll
  static void startRealm() throws Exception {
    realm = Realm.start();
    operatorKeytab = realm.addUser("operator");
    aliceKeytab = realm.addUser("alice");
    Configuration conf = new Configuration(false);
    realm.secure(conf);
    conf.setBoolean(CommonConfigurationKeys.HADOOP_SECURITY_AUTHORIZATION, true);
    conf.set(CommonConfigurationKeys.HADOOP_SECURITY_SERVICE_USER_NAME_KEY, realm.daemon());
    conf.set("dfs.cluster.administrators", "operator");
    configuration = realm.directory().resolve("conf.xml");
    try (OutputStream out = Files.newOutputStream(configuration)) {
      conf.writeXml(out);
    }
  }

  @AfterAll
  static void stopRealm() {
    realm.close();
  }

  private static JavaProcess peer(String line, String... arguments) throws IOException {
    List<String> words = new ArrayList<>(List.of(AdminPeer.class.getName()));
    words.addAll(List.of(arguments));
    return new JavaProcess(realm, classPath(line), words.toArray(new String[0]))
        .with("LC_ALL", "C.UTF-8");
  }

  private static String classPath(String line) {
    return line.equals("3.1")
        ? JavaProcess.ownClassPath()
        : String.join(
            File.pathSeparator,
            JavaProcess.location(AdminPeer.class),
            JavaProcess.location(HdrfAdminProtocol.class),
            JavaProcess.location(HadoopLine.class),
            System.getProperty("hdrf.test.later.hadoop") + "/*");
  }

  private static List<String> ask(String line, int port, String user, Path keytab)
      throws Exception {
    JavaProcess.Result result =
        peer(line, "ask", configuration.toString(), Integer.toString(port))
            .withKeytab(realm.principal(user), keytab)
            .run();
    assertThat(result.status()).as(result.output()).isZero();
    List<String> lines =
        result
            .output()
            .lines()
            .filter(said -> said.startsWith(AdminPeer.MARK))
            .map(said -> said.substring(AdminPeer.MARK.length()))
            .toList();
    assertThat(lines.get(0)).startsWith("Hadoop " + line);
    return lines.subList(1, lines.size());
  }

  /** A server with a known port, until it is closed. */
  private static final class Server implements AutoCloseable {
    private final Process process;
    private final int port;

    Server(String line) throws IOException {
      process =
          peer(
                  line,
                  "serve",
                  configuration.toString(),
                  realm.daemon(),
                  realm.daemonKeytab().toString())
              .start();
      BufferedReader output =
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
      StringBuilder said = new StringBuilder();
      String text = output.readLine();
      while (text != null && !text.startsWith(PORT)) {
        said.append(text).append('\n');
        text = output.readLine();
      }
      if (text == null) {
        throw new AssertionError("The server of Hadoop " + line + " ended:\n" + said);
      }
      assertThat(said.toString()).contains("Hadoop " + line);
      port = Integer.parseInt(text.substring(PORT.length()));
      Thread reader =
          new Thread(
              () -> {
                try {
                  output.transferTo(java.io.Writer.nullWriter());
                } catch (IOException e) {
                  // The server ended.
                }
              });
      reader.setDaemon(true);
      reader.start();
    }

    @Override
    public void close() throws IOException {
      process.getOutputStream().close();
      process.destroy();
    }
  }

  @ParameterizedTest
  @CsvSource({"3.3, 3.1", "3.1, 3.3"})
  void administratorsOfBothLinesAreHeardAndOthersRefused(String line, String otherLine)
      throws Exception {
    try (Server server = new Server(line)) {
      assertThat(ask(line, server.port, "operator", operatorKeytab)).isEqualTo(ANSWERS);
      assertThat(ask(otherLine, server.port, "operator", operatorKeytab)).isEqualTo(ANSWERS);
      assertThat(ask(line, server.port, "alice", aliceKeytab))
          .containsExactly(
              "refused alice is no administrator: not hdfs, not in the group supergroup, not in"
                  + " dfs.cluster.administrators",
              "stock answers",
              FOREIGN);
    }
  }
}
