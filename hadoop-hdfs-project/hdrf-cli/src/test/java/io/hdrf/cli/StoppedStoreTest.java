/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hdrf.cluster.ClusterException;
import io.hdrf.metadata.BlockRecord;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.store.KeptStoreProvider;
import io.hdrf.spi.store.MetadataStoreProvider;
import io.hdrf.spi.store.StoreBatch;
import io.hdrf.spi.store.Table;
import io.hdrf.volume.Superblock;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The records of a DataNode that does not run: block 1 has none, and block 9 has one but is gone.
 */
@Timeout(60)
class StoppedStoreTest {
  private static final String POOL = "current/BP-1-127.0.0.1-2";

  @TempDir private Path directory;
  private final String storageId = "DS-" + UUID.randomUUID();
  private final MemoryStore store = new MemoryStore();
  private Path volume;
  private Path conf;

  @BeforeEach
  void makeVolume() throws IOException {
    volume = volume("volume", storageId);
    Superblock.create(volume.resolve(POOL).resolve("hdrf"), LocalDurableFiles.INSTANCE);
    writeBlock(volume, 1, new byte[100]);
    record(9, BlockRecord.plain(7, 0, 0, 0).encode());
    KeptStoreProvider.STORES.put(storageId, store);
    Path plugins = Files.createDirectories(directory.resolve("plugins"));
    try (ZipOutputStream jar =
        new ZipOutputStream(Files.newOutputStream(plugins.resolve("kept.jar")))) {
      jar.putNextEntry(new ZipEntry("META-INF/services/" + MetadataStoreProvider.class.getName()));
      jar.write(KeptStoreProvider.class.getName().getBytes(StandardCharsets.UTF_8));
    }
    writeConf(volume.toString());
  }

  @AfterEach
  void forget() {
    KeptStoreProvider.STORES.remove(storageId);
  }

  private Path volume(String name, String id) throws IOException {
    Path made = directory.resolve(name);
    Files.createDirectories(made.resolve(POOL).resolve("current/finalized/subdir0/subdir0"));
    Files.writeString(made.resolve("current/VERSION"), "storageID=" + id + "\n");
    return made;
  }

  private static void writeBlock(Path volume, long id, byte[] data) throws IOException {
    Files.write(volume.resolve(POOL).resolve("current/finalized/subdir0/subdir0/blk_" + id), data);
  }

  private void writeConf(String volumes) throws IOException {
    conf = Files.createDirectories(directory.resolve("conf"));
    Files.writeString(conf.resolve("core-site.xml"), "<configuration/>");
    int port;
    try (ServerSocket closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = closed.getLocalPort();
    }
    Files.writeString(
        conf.resolve("hdfs-site.xml"),
        "<configuration>"
            + property("dfs.datanode.data.dir", volumes)
            + property("dfs.datanode.ipc.address", "127.0.0.1:" + port)
            + property("hdrf.plugins.dir", directory.resolve("plugins").toString())
            + property("hdrf.metadata.store", KeptStoreProvider.NAME)
            + "</configuration>");
  }

  private static String property(String name, String value) {
    return "<property><name>" + name + "</name><value>" + value + "</value></property>";
  }

  private StoppedDataNode stopped() throws IOException {
    Configuration configuration = new Configuration(false);
    RecordTarget.addFiles(configuration, conf);
    return new StoppedDataNode("host", configuration, List.of(volume));
  }

  private void record(long id, byte[] value) {
    store.write(new StoreBatch().put(Table.BLOCKS, BlockRecord.key(id), value));
  }

  private List<Long> recorded() {
    List<Long> ids = new ArrayList<>();
    store.scan(Table.BLOCKS, new byte[0], (key, value) -> ids.add(BlockRecord.blockId(key)));
    return ids;
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
      int code = Main.commandLine().execute((command + " --conf " + conf).split(" "));
      return code + " " + said.toString(StandardCharsets.UTF_8);
    } finally {
      System.setOut(out);
      System.setErr(err);
    }
  }

  private static Progress progress() {
    return Terminal.system().progress("", 0, Progress.Unit.COUNT);
  }

  @ParameterizedTest
  @ValueSource(strings = {"fsck --repair", "rebuild-metadata"})
  void recordsAreMendedUnlessTheVolumeIsInUse(String command) throws IOException {
    try (VolumeLock lock = VolumeLock.take(volume)) {
      assertThat(run(command)).startsWith("3 ").contains(volume + " is in use");
      assertThat(recorded()).containsExactly(9L);
    }
    assertThat(run(command)).startsWith("0 ");
    assertThat(recorded()).containsExactly(1L);
  }

  @Test
  void blocksBehindALinkKeepTheirRecords() throws IOException {
    Path blocks = volume.resolve(POOL).resolve("current/finalized/subdir0");
    Files.createSymbolicLink(blocks, Files.move(blocks, directory.resolve("elsewhere")));
    assertThat(run("fsck --repair")).startsWith("0 ");
    assertThat(recorded()).containsExactly(1L);
  }

  /** Only the record holds the reason, and for some reasons a plain block is not tried again. */
  @Test
  void whyABlockIsPlainOutlivesItsRecord() throws IOException {
    record(1, BlockRecord.plain(7, 3, 0, 0).encode());
    assertThat(run("rebuild-metadata")).startsWith("0 ");
    byte[] made = store.get(Table.BLOCKS, List.of(BlockRecord.key(1))).get(0);
    assertThat(BlockRecord.decode(1, made).logicalLength()).isEqualTo(100);
    assertThat(BlockRecord.decode(1, made).reason()).isEqualTo(3);
  }

  /** A DataNode may start after a volume was found free, but must not once its store is open. */
  @Test
  void aVolumeIsLockedWhileItsStoreIsUsed() throws IOException {
    try (StoppedDataNode stopped = stopped();
        Progress progress = progress()) {
      assertThat(stopped.leftOut()).isEmpty();
      var info = stopped.volumes().get(0);
      try (VolumeLock lock = VolumeLock.take(volume)) {
        assertThatThrownBy(() -> stopped.check(info, true, progress))
            .isInstanceOf(ClusterException.class)
            .hasMessageContaining("is in use");
        assertThatThrownBy(() -> stopped.rebuild(info, progress))
            .isInstanceOf(ClusterException.class)
            .hasMessageContaining("is in use");
        assertThatThrownBy(() -> stopped.records(info, 0)).isInstanceOf(ClusterException.class);
        assertThat(recorded()).containsExactly(9L);
      }
      assertThat(stopped.check(info, false, progress).differences()).isEqualTo(2);
      assertThat(StoppedVolume.isInUse(volume)).isTrue();
      assertThatThrownBy(() -> VolumeLock.take(volume)).hasMessageContaining("is in use");
    }
    assertThat(StoppedVolume.isInUse(volume)).isFalse();
  }

  /** Its DataNode could not open files that root makes there. */
  @Test
  void anotherUsersStoreIsNotOpened() throws IOException {
    try (StoppedDataNode stopped = stopped();
        Progress progress = progress()) {
      var info = stopped.volumes().get(0);
      Path current = volume.resolve("current");
      if (Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0)) {
        Files.setAttribute(current, "unix:uid", 65534);
      } else {
        Files.move(current, directory.resolve("moved"));
        Files.createSymbolicLink(current, Path.of("/"));
      }
      KeptStoreProvider.STORES.remove(storageId);
      assertThatThrownBy(() -> stopped.check(info, true, progress))
          .isInstanceOf(ClusterException.class)
          .hasMessageContaining("sudo -u");
      assertThatThrownBy(() -> stopped.rebuild(info, progress))
          .isInstanceOf(ClusterException.class)
          .hasMessageContaining("sudo -u");
      assertThat(volume.resolve(VolumeLock.FILE)).doesNotExist();
    }
    assertThat(recorded()).containsExactly(9L);
  }

  @ParameterizedTest
  @ValueSource(strings = {"fsck", "fsck --repair", "rebuild-metadata"})
  void aVolumeWithoutItsSuperblockIsATroubleBesideOthersToo(String command) throws IOException {
    Path lost = volume("lost", "DS-lost");
    byte[] reduced = new byte[1000];
    System.arraycopy(new byte[] {(byte) 0x89, 'H', 'R', 'B', 1}, 0, reduced, 0, 5);
    writeBlock(lost, 1, reduced);
    String why = "superblock is lost, and 1 blocks look like reduced ones";
    writeConf(lost.toString());
    assertThat(run(command)).startsWith("3 ").contains(why);
    record(1, BlockRecord.plain(100, 0, 0, 0).encode());
    store.write(new StoreBatch().delete(Table.BLOCKS, BlockRecord.key(9)));
    writeConf(lost + "," + volume);
    assertThat(run(command))
        .startsWith("3 ")
        .contains(lost.toString(), why)
        .contains(volume + (command.startsWith("fsck") ? ": 1 blocks, no difference" : ": all"));
  }

  /** The operating system limits paths to 4095 bytes. */
  private Path farAway() throws IOException {
    int length = 4090 - (POOL + "/current/finalized").length() - "/v/".length();
    Path far = directory;
    while (length - far.toString().length() > 1) {
      int left = length - far.toString().length() - 1;
      far = far.resolve("d".repeat(left > 250 ? 200 : left));
    }
    return Files.createDirectories(far).resolve("v");
  }

  @ParameterizedTest
  @ValueSource(strings = {"fsck", "fsck --repair", "rebuild-metadata", "blocks"})
  void aDirectoryOfBlocksThatCantBeReadHidesNoOtherVolume(String command) throws IOException {
    String id = "DS-" + UUID.randomUUID();
    MemoryStore records = new MemoryStore();
    records.write(
        new StoreBatch()
            .put(Table.BLOCKS, BlockRecord.key(5), BlockRecord.plain(7, 3, 0, 0).encode()));
    Path near = volume("unreadable", id);
    Superblock.create(near.resolve(POOL).resolve("hdrf"), LocalDurableFiles.INSTANCE);
    KeptStoreProvider.STORES.put(id, records);
    Path far = Files.move(near, farAway());
    try {
      writeConf(far + "," + volume);
      String options = command.equals("blocks") ? " --plugins " + directory : "";
      assertThat(run(command + options))
          .startsWith("3 ")
          .contains(far + ": ", "File name too long", volume.toString())
          .doesNotContain("\tat ");
      assertThat(records.estimatedCount(Table.BLOCKS)).as("records").isEqualTo(1);
    } finally {
      Files.move(far, near);
      KeptStoreProvider.STORES.remove(id);
    }
  }

  @Test
  void aDamagedRecordHidesNoOther() throws IOException {
    byte[] damaged = BlockRecord.plain(100, 0, 0, 0).encode();
    damaged[8] ^= 1;
    record(1, damaged);
    writeBlock(volume, 2, new byte[200]);
    record(2, BlockRecord.plain(200, 0, 0, 0).encode());
    writeBlock(volume, 3, new byte[300]);
    record(3, new byte[1]);
    JsonNode found =
        new ObjectMapper()
            .readTree(run("blocks --json --unreduced --plugins " + directory).substring(2));
    JsonNode sums = found.get("volumes").get(0);
    assertThat(sums.get("blocks").asLong()).isEqualTo(3);
    assertThat(sums.get("withoutRecord").asLong()).isEqualTo(2);
    assertThat(sums.get("logicalBytes").asLong()).isEqualTo(200);
    assertThat(found.get("blocks")).hasSize(1);
    assertThat(found.get("blocks").get(0).get("blockId").asLong()).isEqualTo(2);
    assertThat(found.get("notLookedAt")).isEmpty();
  }
}
