/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.admin.ReducedBlocks;
import io.hdrf.cluster.ClusterException;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.volume.Superblock;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands with a DataNode, a volume or a store that is not as it should be. */
@Timeout(60)
class RecordCommandsTest {
  @TempDir private Path directory;
  private Path volume;
  private Path finalized;

  @BeforeEach
  void makeVolume() throws IOException {
    volume = directory.resolve("volume");
    finalized =
        Files.createDirectories(volume.resolve("current/BP-1-127.0.0.1-2/current/finalized"));
    Files.writeString(volume.resolve("current/VERSION"), "storageID=DS-5\n");
  }

  private Path hdrf() {
    return volume.resolve("current/BP-1-127.0.0.1-2/hdrf");
  }

  private void writeDamaged() throws IOException {
    byte[] damaged = new byte[1000];
    System.arraycopy(new byte[] {(byte) 0x89, 'H', 'R', 'B', 1}, 0, damaged, 0, 5);
    Files.write(finalized.resolve("blk_1"), damaged);
  }

  private static int closedPort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /** Returns a command's output to standard error, after its exit code. */
  private static String run(String... arguments) {
    PrintStream before = System.err;
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
    try {
      int code = Main.commandLine().execute(arguments);
      return code + " " + err.toString(StandardCharsets.UTF_8);
    } finally {
      System.setErr(before);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "fsck",
        "blocks",
        "block 1",
        "rebuild-metadata",
        "gc",
        "verify --status",
        "convert",
        "inflate"
      })
  void aDataNodeThatNeverAnswersHidesNoOther(String command) throws IOException {
    try (ServerSocket hung = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      String silent = "127.0.0.1:" + hung.getLocalPort();
      String closed = "127.0.0.1:" + closedPort();
      String options = " --timeout 1 --datanode " + silent + " --datanode " + closed;
      options += command.startsWith("blocks") ? " --plugins " + directory : "";
      String said = run((command + options).split(" "));
      assertThat(said)
          .startsWith("3 ")
          .contains(silent, "did not answer within 1000 ms", closed)
          .doesNotContain("\tat ");
    }
  }

  private String localConf(String more) throws IOException {
    Path conf = Files.createDirectories(directory.resolve("conf"));
    Files.writeString(conf.resolve("core-site.xml"), "<configuration/>");
    Files.writeString(
        conf.resolve("hdfs-site.xml"),
        "<configuration><property><name>dfs.datanode.data.dir</name><value>"
            + volume
            + more
            + "</value></property><property><name>dfs.datanode.ipc.address</name><value>127.0.0.1:"
            + closedPort()
            + "</value></property></configuration>");
    return conf.toString();
  }

  @ParameterizedTest
  @ValueSource(strings = {"fsck", "fsck --repair", "rebuild-metadata"})
  void nothingLookedAtIsNoSuccess(String command) throws IOException {
    String conf = localConf("");
    assertThat(run((command + " --conf " + conf).split(" ")))
        .startsWith("3 ")
        .contains("there are no records");
  }

  @Test
  void collectingNeedsADataNodeThatRuns() throws IOException {
    assertThat(run("gc", "--conf", localConf(""))).startsWith("3 ").contains("does not run");
  }

  @Test
  void whatIsNotMountedHidesNoOtherDirectory() throws IOException {
    Superblock.create(hdrf(), LocalDurableFiles.INSTANCE);
    try (StoppedDataNode stopped =
        new StoppedDataNode(
            "host", new Configuration(false), List.of(directory.resolve("gone"), volume))) {
      assertThat(stopped.leftOut()).hasSize(1).first().asString().contains("gone");
      assertThat(stopped.reducedBlocks())
          .hasSize(2)
          .filteredOn(ReducedBlocks::isCounted)
          .hasSize(1);
    }
  }

  @Test
  void aLostSuperblockIsNoEmptyVolume() throws IOException {
    writeDamaged();
    try (StoppedDataNode stopped =
        new StoppedDataNode("host", new Configuration(false), List.of(volume))) {
      assertThat(stopped.leftOut())
          .hasSize(1)
          .first()
          .asString()
          .contains("superblock is lost", "1 blocks");
    }
  }

  @Test
  void aVolumeInUseIsLeftAlone() throws IOException {
    Superblock.create(hdrf(), LocalDurableFiles.INSTANCE);
    try (VolumeLock lock = VolumeLock.take(volume)) {
      assertThatThrownBy(() -> VolumeLock.take(volume))
          .isInstanceOf(ClusterException.class)
          .hasMessageContaining("is in use");
      assertThat(StoppedVolume.isInUse(volume)).isTrue();
      try (StoppedDataNode stopped =
          new StoppedDataNode("host", new Configuration(false), List.of(volume))) {
        assertThat(stopped.leftOut()).hasSize(1).first().asString().contains("is in use");
        assertThat(stopped.volumes()).isEmpty();
        assertThat(stopped.reducedBlocks().get(0).isCounted()).isFalse();
      }
      assertThat(run("inflate", "--status", "--conf", localConf("")))
          .startsWith("3 ")
          .contains("is in use");
    }
    assertThat(StoppedVolume.isInUse(volume)).isFalse();
  }

  /**
   * Holds a lock like a DataNode; the lock of another process looks different from one of this
   * process.
   */
  static final class Holder {
    private Holder() {}

    public static void main(String[] arguments) throws IOException {
      try (VolumeLock lock = VolumeLock.take(Path.of(arguments[0]))) {
        System.out.println("locked");
        System.in.read();
      }
    }
  }

  @Test
  void aVolumeThatAnotherProcessHasIsLeftAlone() throws Exception {
    Process holder =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Holder.class.getName(),
                volume.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try {
      assertThat(holder.inputReader().readLine()).isEqualTo("locked");
      assertThat(StoppedVolume.isInUse(volume)).isTrue();
      assertThatThrownBy(() -> VolumeLock.take(volume))
          .isInstanceOf(ClusterException.class)
          .hasMessageContaining("is in use");
    } finally {
      holder.destroyForcibly().waitFor();
    }
    assertThat(StoppedVolume.isInUse(volume)).isFalse();
  }

  /** Its DataNode could not open files that root makes there. */
  @Test
  void anotherUsersVolumeIsNotTouched() throws IOException {
    Path strange = Path.of("/");
    if (Files.getOwner(Path.of("/proc/self")).equals(Files.getOwner(strange))) {
      strange = volume;
      Files.setAttribute(volume.resolve("current"), "unix:uid", 65534);
      assertThatThrownBy(() -> VolumeLock.take(volume))
          .isInstanceOf(ClusterException.class)
          .hasMessageContaining("sudo -u");
      assertThat(volume.resolve(VolumeLock.FILE)).doesNotExist();
    }
    Path directory = strange.resolve(strange.equals(volume) ? "current" : "");
    assertThatThrownBy(() -> VolumeLock.requireOwner(directory))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining("sudo -u");
  }
}
