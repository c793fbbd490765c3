/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.hdrf.block.BlockRef;
import io.hdrf.reduce.BlockSkippedException;
import io.hdrf.reduce.EncodedBlock;
import io.hdrf.reduce.SkipReason;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.scheme.FrameSink;
import io.hdrf.spi.scheme.TestData;
import io.hdrf.spi.scheme.TestSeed;
import io.hdrf.volume.ConversionState;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The swap of a block's file, and the conditions that prevent it. */
class FinalizedPlainBlockTest {

  private static final int LENGTH = 150_001;

  @TempDir Path directory;

  private final byte[] data =
      TestData.TEXT.bytes(LENGTH, TestSeed.random(FinalizedPlainBlockTest.class.getName()));
  private SwapVolume volume;

  @BeforeEach
  void open() throws IOException {
    volume = new SwapVolume(directory, data);
  }

  @AfterEach
  void close() throws IOException {
    volume.close();
  }

  private interface Change {
    void run() throws IOException;
  }

  private static void assertSkipped(ThrowingCallable call, SkipReason reason) {
    assertThatThrownBy(call)
        .asInstanceOf(type(BlockSkippedException.class))
        .extracting(BlockSkippedException::reason)
        .isEqualTo(reason);
  }

  /** Something happens while the block is being encoded; then its file must stay. */
  private void assertNotSwapped(Change change, SkipReason reason) throws IOException {
    try (FinalizedPlainBlock block = volume.openPlain(null)) {
      block.recordSchemes();
      long length = volume.encode(block);
      block.checkWanted();
      change.run();
      assertSkipped(() -> block.swap(block.temporaryFile(), length), reason);
      assertThat(volume.blockFile()).hasBinaryContent(data);
      assertThat(block.temporaryFile()).as("it is the caller's still").exists();
    }
    assertThat(volume.events).isEmpty();
    assertThat(volume.used).isZero();
    assertThat(volume.replicas.settled().saved(SwapVolume.BLOCK, -1)).isEqualTo(-1);
    assertThat(volume.replicas.locks().isEmpty()).isTrue();
  }

  @Test
  void theReducedFileTakesThePlainOnesPlace() throws IOException {
    Files.setPosixFilePermissions(volume.blockFile(), PosixFilePermissions.fromString("rw-r--r--"));
    byte[] meta = Files.readAllBytes(volume.metaFile());
    long length;
    try (FinalizedPlainBlock block = volume.openPlain(null)) {
      block.recordSchemes();
      length = volume.encode(block);
      block.swap(block.temporaryFile(), length);
      assertThat(block.temporaryFile()).doesNotExist();
      assertThat(block.isUnchanged()).as("its file is another one now").isFalse();
    }
    assertThat(volume.isReduced()).isTrue();
    assertThat(volume.metaFile()).hasBinaryContent(meta);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(volume.blockFile())))
        .isEqualTo("rw-r--r--");
    assertThat(volume.events)
        .containsExactly("rename under the block lock", "adjustUsed", "revokeDescriptors");
    assertThat(volume.used).isEqualTo(length - LENGTH).isNegative();
    assertThat(volume.replicas.settled().saved(SwapVolume.BLOCK, -1)).isEqualTo(LENGTH - length);
    assertThat(volume.replicas.locks().isEmpty()).isTrue();
    assertThat(volume.temporaries()).isEmpty();
  }

  @Test
  void itIsTheBlockThatWasOpened() throws IOException {
    try (FinalizedPlainBlock block = volume.openPlain(null)) {
      assertThat(block.identity())
          .isEqualTo(new BlockRef(SwapVolume.POOL, SwapVolume.BLOCK.blockId()));
      assertThat(block.generationStamp()).isEqualTo(SwapVolume.STAMP);
      assertThat(block.length()).isEqualTo(LENGTH);
      assertThat(block.dataFile()).isEqualTo(volume.blockFile());
      assertThat(block.metaFile()).isEqualTo(volume.metaFile());
      assertThat(block.tagKey()).isEqualTo(volume.poolSlice().key());
      assertThat(block.codec().chain().ids()).containsExactly(volume.scheme.id());
      assertThat(block.encoded()).isNull();
      assertThat(block.temporaryFile().getParent())
          .isEqualTo(volume.poolSlice().directory().resolve("tmp"));
      assertThat(block.temporaryFile()).as("one name").isEqualTo(block.temporaryFile());
      try (FinalizedPlainBlock other = volume.openPlain(null)) {
        assertThat(other.temporaryFile()).isNotEqualTo(block.temporaryFile());
      }
    }
  }

  /** A DataNode that starts without the scheme must know that blocks need it. */
  @Test
  void theSchemesAreRecordedBeforeAnythingIsEncoded() throws IOException {
    try (FinalizedPlainBlock block = volume.openPlain(null)) {
      block.recordSchemes();
    }
    assertThat(
            io.hdrf.volume.Superblock.load(
                    volume.poolSlice().directory(), LocalDurableFiles.INSTANCE)
                .orElseThrow()
                .schemes())
        .containsEntry(volume.scheme.id(), volume.scheme.name());
  }

  @Test
  void aBlockThatIsHeldPlainMeanwhileStaysPlain() throws IOException {
    assertNotSwapped(() -> volume.replicas.hold(SwapVolume.BLOCK), SkipReason.HELD_PLAIN);
  }

  @Test
  void aBlockThatIsCachedMeanwhileStaysPlain() throws IOException {
    assertNotSwapped(() -> volume.cached.add(SwapVolume.BLOCK), SkipReason.HELD_PLAIN);
  }

  @Test
  void aBlockOfAVolumeThatIsKeptPlainStaysPlain() throws IOException {
    assertNotSwapped(
        () -> volume.poolSlice().setConversion(ConversionState.keptPlain()), SkipReason.KEPT_PLAIN);
  }

  /** An upgrade's previous/ has the same file. */
  @Test
  void aBlockWithAnotherNameStaysPlain() throws IOException {
    assertNotSwapped(
        () -> Files.createLink(directory.resolve("previous"), volume.blockFile()),
        SkipReason.LINKED);
    assertThat(directory.resolve("previous")).hasBinaryContent(data);
  }

  @Test
  void aBlockThatWasAppendedToStaysPlain() throws IOException {
    assertNotSwapped(
        () -> volume.current.setGenerationStamp(SwapVolume.STAMP + 1), SkipReason.CHANGED);
  }

  @Test
  void aBlockThatWasDeletedIsNotBroughtBack() throws IOException {
    assertNotSwapped(() -> volume.current = null, SkipReason.CHANGED);
  }

  @Test
  void whatIsNotWantedAnyMoreIsGivenUpEarly() throws IOException {
    try (FinalizedPlainBlock block = volume.openPlain(null)) {
      block.checkWanted();
      assertThat(volume.references).as("nothing is kept by looking").isEqualTo(1);

      volume.leaves = true;
      assertSkipped(block::checkWanted, SkipReason.STOPPING);
      volume.leaves = false;

      volume.replicas.hold(SwapVolume.BLOCK);
      assertSkipped(block::checkWanted, SkipReason.HELD_PLAIN);
      volume.replicas.release(SwapVolume.BLOCK);

      volume.poolSlice().setConversion(ConversionState.keptPlain());
      assertSkipped(block::checkWanted, SkipReason.KEPT_PLAIN);
      volume.poolSlice().setConversion(ConversionState.AUTOMATIC);

      Path link = Files.createLink(directory.resolve("previous"), volume.blockFile());
      assertSkipped(block::checkWanted, SkipReason.LINKED);
      Files.delete(link);

      block.checkWanted();
      assertThat(block.isUnchanged()).isTrue();
      volume.current = volume.finalized(LENGTH);
      assertThat(block.isUnchanged()).isFalse();
      assertSkipped(block::checkWanted, SkipReason.CHANGED);
    }
  }

  /** What comes with a block, and whether closing it fails and how. */
  private static final class Received implements EncodedBlock {
    private final Throwable failure;
    private int closed;

    Received(Throwable failure) {
      this.failure = failure;
    }

    @Override
    public int[] chainIds() {
      return new int[] {1};
    }

    @Override
    public long generationStamp() {
      return SwapVolume.STAMP;
    }

    @Override
    public long length() {
      return LENGTH;
    }

    @Override
    public int frameCount() {
      return 0;
    }

    @Override
    public void replay(FrameSink out) {}

    @Override
    public void close() throws IOException {
      closed++;
      if (failure instanceof IOException) {
        throw (IOException) failure;
      }
      if (failure instanceof RuntimeException) {
        throw (RuntimeException) failure;
      }
    }
  }

  private void assertAllGivenBack(Received received) {
    assertThat(received.closed).isEqualTo(1);
    assertThat(volume.references).isZero();
    assertThat(volume.reserved).isZero();
    assertThat(volume.isUnusedAfterClose()).isTrue();
  }

  @Test
  void closingGivesEverythingBack() throws IOException {
    Received received = new Received(null);
    try (FinalizedPlainBlock block = volume.openPlain(received)) {
      assertThat(block.encoded()).isSameAs(received);
      assertThat(volume.references).isEqualTo(1);
      assertThat(volume.reserved).isEqualTo(LENGTH);
    }
    assertAllGivenBack(received);
  }

  @Test
  void aSpoolThatCannotBeClosedKeepsNothing() throws IOException {
    Received received = new Received(new IOException("for a test"));
    volume.openPlain(received).close();
    assertAllGivenBack(received);
  }

  @Test
  void neitherDoesOneThatFailsOtherwise() throws IOException {
    Received received = new Received(new IllegalStateException("for a test"));
    FinalizedPlainBlock block = volume.openPlain(received);
    assertThatThrownBy(block::close).hasMessage("for a test");
    assertAllGivenBack(received);
  }

  /** Runs the delayed task now. */
  private void runDelayed() throws ReflectiveOperationException {
    Field field = DelayedTasks.class.getDeclaredField("executor");
    field.setAccessible(true);
    ((ScheduledThreadPoolExecutor) field.get(volume.later)).getQueue().element().run();
  }

  @Test
  void aMismatchIsReportedLaterAndNamesTheFile() throws Exception {
    try (FinalizedPlainBlock block = volume.openPlain(null)) {
      block.reportMismatch();
    }
    assertThat(volume.events).isEmpty();
    runDelayed();
    assertThat(volume.events)
        .containsExactly("damaged " + volume.blockFile() + " does not match its checksums");
  }

  /** The data of a block that was written to meanwhile need not match. */
  @Test
  void noMismatchIsReportedOfABlockThatChanged() throws Exception {
    try (FinalizedPlainBlock block = volume.openPlain(null)) {
      block.reportMismatch();
    }
    volume.current.setGenerationStamp(SwapVolume.STAMP + 1);
    runDelayed();
    assertThat(volume.events).isEmpty();
  }
}
