/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.block.BlockRef;
import io.hdrf.datanode.replica.Replicas.ReplicaChangedException;
import io.hdrf.datanode.volume.DirectoryVolume;
import io.hdrf.spi.io.LocalDurableFiles;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.hdfs.server.datanode.FinalizedReplica;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The last look before the rename. Stock code changes a block under the same name and inode: a
 * truncation cuts the file, an append that ended added to it, a recovery gives it another stamp.
 */
class ReplicasTest {

  private static final BlockRef BLOCK = new BlockRef("BP-1", 1);
  private static final long STAMP = 1001;

  @TempDir Path directory;

  private final List<String> calls = new ArrayList<>();
  private final Set<BlockRef> cached = new HashSet<>();
  private final Replicas replicas = new Replicas(dataset(), LocalDurableFiles.INSTANCE, null);
  private ReplicaInfo current;
  private Path file;
  private Path replacement;

  @BeforeEach
  void aBlockAndItsReplacement() throws IOException {
    file = Files.writeString(directory.resolve("blk_1"), "plain");
    replacement = Files.writeString(directory.resolve("temporary"), "reduced");
    current = finalized();
  }

  private FinalizedReplica finalized() {
    return new FinalizedReplica(
        BLOCK.blockId(), 5, STAMP, new DirectoryVolume("DS-1", directory), directory.toFile());
  }

  private DatasetAccess dataset() {
    return (DatasetAccess)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {DatasetAccess.class},
            (proxy, method, arguments) -> {
              switch (method.getName()) {
                case "lock":
                  return (Hold) () -> {};
                case "isCached":
                  return cached.contains(new BlockRef((String) arguments[0], (long) arguments[1]));
                case "replica":
                  return current;
                default:
                  calls.add(method.getName());
                  return null;
              }
            });
  }

  private void replace(ReplicaSnapshot snapshot) throws IOException {
    replicas.replace(snapshot, replacement, -1);
  }

  @Test
  void whatIsStillTheSameIsReplaced() throws IOException {
    replace(ReplicaSnapshot.of(BLOCK, current));
    assertThat(file).hasContent("reduced");
    assertThat(replacement).doesNotExist();
    assertThat(calls).containsExactly("adjustUsed", "revokeDescriptors");
  }

  private interface Change {
    void run() throws IOException;
  }

  private void assertLeftAlone(Change change) throws IOException {
    ReplicaSnapshot snapshot = ReplicaSnapshot.of(BLOCK, current);
    change.run();
    assertThatThrownBy(() -> replace(snapshot)).isInstanceOf(ReplicaChangedException.class);
    assertThat(file).hasContent("plain");
    assertThat(replacement).hasContent("reduced");
    assertThat(calls).isEmpty();
  }

  @Test
  void aBlockOfAnotherLengthIsLeftAlone() throws IOException {
    assertLeftAlone(() -> current.setNumBytes(4));
  }

  @Test
  void aBlockOfAnotherGenerationIsLeftAlone() throws IOException {
    assertLeftAlone(() -> current.setGenerationStamp(STAMP + 1));
  }

  @Test
  void anEqualReplicaMadeMeanwhileIsLeftAlone() throws IOException {
    assertLeftAlone(() -> current = finalized());
  }

  @Test
  void aBlockThatIsGoneIsLeftAlone() throws IOException {
    assertLeftAlone(() -> current = null);
  }

  @Test
  void aFileThatTookThePlaceIsLeftAlone() throws IOException {
    assertLeftAlone(
        () -> {
          Path other = Files.writeString(directory.resolve("other"), "plain");
          Files.move(other, file, StandardCopyOption.REPLACE_EXISTING);
        });
  }

  @Test
  void aBlockIsHeldUntilItsLastHoldIsReleased() {
    replicas.hold(BLOCK);
    replicas.hold(BLOCK);
    replicas.release(BLOCK);
    assertThat(replicas.isHeld(BLOCK)).isTrue();
    replicas.release(BLOCK);
    assertThat(replicas.isHeld(BLOCK)).isFalse();
    replicas.release(BLOCK);
    replicas.hold(BLOCK);
    assertThat(replicas.isHeld(BLOCK)).as("a release too many takes no later hold away").isTrue();
  }

  @Test
  void holdsAreOfOneBlock() {
    replicas.hold(BLOCK);
    assertThat(replicas.isHeld(new BlockRef("BP-1", 2))).isFalse();
    assertThat(replicas.isHeld(new BlockRef("BP-other", 1))).isFalse();
    assertThat(replicas.isHeld(new BlockRef("BP-1", 1))).isTrue();
  }

  @Test
  void aCachedBlockIsHeldForAsLongAsItIsCached() {
    cached.add(BLOCK);
    replicas.hold(BLOCK);
    replicas.release(BLOCK);
    assertThat(replicas.isHeld(BLOCK)).isTrue();
    cached.remove(BLOCK);
    assertThat(replicas.isHeld(BLOCK)).isFalse();
  }
}
