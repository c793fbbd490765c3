/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.admin.AdminEndpoint;
import io.hdrf.admin.AdminTasks;
import io.hdrf.admin.HdrfAdminProtocol;
import io.hdrf.admin.JobInfo;
import io.hdrf.admin.RecordPage;
import io.hdrf.admin.ReducedBlocks;
import io.hdrf.admin.VolumeInfo;
import io.hdrf.admin.VolumeUse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.security.authorize.PolicyProvider;
import org.apache.hadoop.security.authorize.Service;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands with a running DataNode's answers. */
@Timeout(60)
class RunningCommandsTest {
  private static final String DONE = AdminTasks.DONE + " ";

  @TempDir private Path directory;

  /** Another protocol of the same server. */
  interface Other {}

  private static final class NoPolicy extends PolicyProvider {
    @Override
    public Service[] getServices() {
      return new Service[0];
    }
  }

  /** The answers of a task, in turn; the last answer, unless it is a result, is a failure. */
  private final Queue<String> answers = new ArrayDeque<>();

  private final List<String> leftOut = new ArrayList<>(List.of(AdminTasks.DONE));
  private final List<String> begun = new ArrayList<>();
  private String status = "in step";
  private RPC.Server server;

  private Object answer(String call, Object[] arguments) throws IOException {
    switch (call) {
      case "volumes":
        return new String[] {
          new VolumeInfo("DS-1", "BP-1", "/data/1", "embedded", status, 0).encode()
        };
      case "startTask":
        begun.add((String) arguments[0]);
        return arguments[0];
      case "task":
        if (arguments[0].equals("left-out")) {
          return leftOut.toArray(new String[0]);
        }
        String answer = answers.remove();
        if (answers.isEmpty() && !answer.startsWith(DONE)) {
          throw new IOException(answer);
        }
        return answer.split(" ");
      case "records":
        return RecordPage.encode(Map.of());
      case "block":
        return new String[] {"agree  yes"};
      case "jobs":
        return new String[] {
          new JobInfo(
                  "DS-1",
                  "BP-1",
                  "/data/1",
                  "automatic",
                  JobInfo.State.DONE,
                  Map.of(),
                  Map.of(),
                  List.of())
              .encode()
        };
      case "rebuild":
      case "startJob":
        return null;
      default:
        return new String[0];
    }
  }

  @BeforeEach
  void start() throws IOException {
    HdrfAdminProtocol service =
        (HdrfAdminProtocol)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {HdrfAdminProtocol.class},
                (self, method, arguments) -> answer(method.getName(), arguments));
    Configuration conf = new Configuration();
    server =
        new RPC.Builder(conf)
            .setProtocol(Other.class)
            .setInstance(new Other() {})
            .setBindAddress("127.0.0.1")
            .setPort(0)
            .setNumHandlers(2)
            .build();
    AdminEndpoint.addTo(server, service, conf, new NoPolicy());
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop();
  }

  /** Returns a command's output, after its exit code. */
  private String run(String command) {
    PrintStream out = System.out;
    PrintStream err = System.err;
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    PrintStream both = new PrintStream(said, true, StandardCharsets.UTF_8);
    System.setOut(both);
    System.setErr(both);
    try {
      String address = " --datanode 127.0.0.1:" + server.getListenerAddress().getPort();
      int code = Main.commandLine().execute((command + address).split(" "));
      return code + " " + said.toString(StandardCharsets.UTF_8);
    } finally {
      System.setOut(out);
      System.setErr(err);
    }
  }

  /** The records count as in step until the DataNode has read why blocks are plain. */
  @Test
  void recordsAreMadeAnewWhenTheDataNodeSaysSo() {
    answers.addAll(List.of("running 0", "running 0", "running 512", "the store is full"));
    assertThat(run("rebuild-metadata"))
        .startsWith("3 ")
        .contains("/data/1: the store is full")
        .doesNotContain("made anew");
    answers.addAll(List.of("running 0", DONE + "9 9 0 0 2"));
    assertThat(run("rebuild-metadata"))
        .startsWith("3 ")
        .contains("/data/1: 2 blocks can't be looked at");
    answers.addAll(List.of("running 0", DONE + "9 9 0 0 0"));
    assertThat(run("rebuild-metadata")).startsWith("0 ").contains("/data/1: all records made anew");
    assertThat(begun).containsOnly("rebuild", "left-out");
  }

  private static String emptyVolume() {
    return new VolumeUse.Builder("DS-1", "BP-1", "/data/1", "DISK", 0).build().encode();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"fsck", "blocks", "block 1", "gc", "rebuild-metadata", "convert", "verify"})
  void whatTheDataNodeLeavesOutIsNoSuccess(String command) {
    boolean blocks = command.equals("blocks");
    String full = command + (blocks ? " --plugins " + directory : "");
    String nothing = DONE + (blocks ? emptyVolume() : "0 0 0 0 0");
    answers.add(nothing);
    assertThat(run(full)).startsWith("0 ");
    leftOut.add(ReducedBlocks.notCounted("/data/2", "is it mounted?").encode());
    answers.add(nothing);
    assertThat(run(full)).startsWith("3 ").contains("/data/2: is it mounted?");
  }

  @Test
  void aStoreThatIsLeftAloneEndsTheCommand() {
    status = "left alone: it is used by another DataNode";
    answers.add("the store is " + status);
    assertThat(run("rebuild-metadata")).startsWith("3 ").contains("used by another DataNode");
  }
}
