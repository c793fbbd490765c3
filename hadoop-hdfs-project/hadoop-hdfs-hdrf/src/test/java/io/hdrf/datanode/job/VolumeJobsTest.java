/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.admin.JobInfo;
import io.hdrf.admin.JobKind;
import io.hdrf.admin.ReducedBlocks;
import io.hdrf.datanode.HdrfCluster;
import io.hdrf.datanode.volume.DataDirectories;
import io.hdrf.datanode.volume.DirectoryCounts;
import io.hdrf.datanode.volume.DirectoryPools;
import io.hdrf.datanode.volume.DirectoryVolume;
import io.hdrf.datanode.volume.PoolSlice;
import io.hdrf.datanode.volume.PoolSlices;
import io.hdrf.io.ForwardingFiles;
import io.hdrf.reduce.HookedScheme;
import io.hdrf.spi.io.DurableFile;
import io.hdrf.spi.io.DurableFiles;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.volume.ConversionState;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Jobs on two volumes, whose first blocks stay in work until the test releases them. */
@Timeout(60)
class VolumeJobsTest {

  private static final String POOL = "BP-1";
  private static final int BLOCKS = 3;

  @TempDir Path directory;

  private final CountDownLatch inHand = new CountDownLatch(2);
  private final CountDownLatch letGo = new CountDownLatch(1);
  private final Map<String, Integer> begun = new ConcurrentHashMap<>();
  private final AtomicInteger changes = new AtomicInteger();
  private final CountDownLatch hang = new CountDownLatch(1);
  private volatile Path broken;
  private final CountDownLatch failed = new CountDownLatch(1);
  private volatile Path hanging;
  private volatile String hangingThreads;
  private volatile boolean mayReduce = true;
  private volatile boolean looksFail;
  private volatile CountDownLatch lookHangs;
  private final CountDownLatch lookBegun = new CountDownLatch(1);
  private final Queue<Runnable> timed = new ConcurrentLinkedQueue<>();
  private PoolSlices volumes;
  private VolumeJobs jobs;
  private DirectoryCounts counts;

  /** Fails to write below {@link #broken}. */
  private final DurableFiles files =
      new ForwardingFiles(LocalDurableFiles.INSTANCE) {
        @Override
        public DurableFile create(Path file) throws IOException {
          if (hanging != null && file.startsWith(hanging)) {
            awaitHang();
          }
          if (broken != null && file.startsWith(broken)) {
            failed.countDown();
            throw new IOException("the disk is broken");
          }
          return super.create(file);
        }
      };

  @BeforeEach
  void open() throws IOException {
    volumes = DirectoryPools.slices(new HookedScheme("hooked", 65100, Integer.MAX_VALUE), files);
    Configuration conf = new Configuration(false);
    conf.set(
        DFSConfigKeys.DFS_DATANODE_DATA_DIR_KEY,
        directory.resolve("DS-1") + "," + directory.resolve("DS-2"));
    for (String id : new String[] {"DS-1", "DS-2"}) {
      volumes.open(DirectoryPools.volume(directory, id), POOL);
    }
    volumes.forEach(PoolSlice::noteLoaded);
    jobs =
        new VolumeJobs(
            volumes,
            (kind, volume, fraction) -> new Blocks(volume.storageId()),
            storageId -> true,
            slice -> mayReduce(),
            (nanos, task) -> timed.add(task),
            0,
            this::changed);
    counts = new DirectoryCounts(new DataDirectories(conf, null), volumes);
  }

  /** As when the DataNode starts. */
  private void openAgain() throws IOException {
    volumes.closePool(POOL);
    for (String id : new String[] {"DS-1", "DS-2"}) {
      volumes.open(new DirectoryVolume(id, directory.resolve(id)), POOL);
    }
  }

  @AfterEach
  void close() {
    letGo.countDown();
    hang.countDown();
    jobs.close();
    volumes.closeAll();
  }

  private void changed() {
    changes.incrementAndGet();
    String thread = hangingThreads;
    if (thread != null && Thread.currentThread().getName().startsWith(thread)) {
      awaitHang();
    }
  }

  private void awaitHang() {
    try {
      hang.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Blocks of which the first one lasts until {@link #letGo}. */
  private final class Blocks implements BlockTask {
    private final String storageId;

    Blocks(String storageId) {
      this.storageId = storageId;
    }

    @Override
    public BlockList blocks() {
      return new BlockList(new long[] {1, 2, 3}, new long[] {5, 5, 5});
    }

    @Override
    public JobOutcome look(long blockId) {
      return null;
    }

    @Override
    public JobOutcome run(long blockId) throws IOException {
      if (begun.merge(storageId, 1, Integer::sum) == 1) {
        inHand.countDown();
        try {
          letGo.await();
        } catch (InterruptedException e) {
          throw new IOException(e);
        }
      }
      return mayReduce ? JobOutcome.done(1) : JobOutcome.UPGRADE;
    }
  }

  private ConversionState stored(String storageId) throws IOException {
    return ConversionState.load(volumes.find(storageId, POOL).directory());
  }

  private FutureTask<Void> stopOnAThread(JobKind kind) {
    return onAThread(
        () -> {
          jobs.stop(kind);
          return null;
        });
  }

  private FutureTask<Void> startOnAThread(JobKind kind) {
    return onAThread(
        () -> {
          jobs.start(kind, 0, 1);
          return null;
        });
  }

  private static <T> FutureTask<T> onAThread(Callable<T> call) {
    FutureTask<T> task = new FutureTask<>(call);
    Thread thread = new Thread(task, "administrator");
    thread.setDaemon(true);
    thread.start();
    return task;
  }

  private void awaitStored(String storageId, boolean running) throws Exception {
    HdrfCluster.await(
        "what is kept on " + storageId,
        () -> {
          try {
            return stored(storageId).isRunning() == running;
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  /** Of its replicas none may be known by now, which is not to be taken for being done. */
  @Test
  void whatEndsWhileThePoolLeavesIsDoneAgainLater() throws Exception {
    jobs.start(JobKind.CONVERT, 0, 1);
    inHand.await();
    volumes.poolLeaves(POOL);
    letGo.countDown();
    HdrfCluster.await("both to end", () -> changes.get() == 3);
    volumes.forEach(slice -> assertThat(slice.conversion().isRunning()).isTrue());
  }

  @Test
  void nothingBeginsWhileThePoolLeaves() throws Exception {
    volumes.poolLeaves(POOL);
    jobs.start(JobKind.CONVERT, 0, 1);
    assertThat(begun).isEmpty();
    assertThat(jobs.infos(JobKind.CONVERT)).allMatch(i -> i.state() == JobInfo.State.NONE);
    volumes.forEach(slice -> assertThat(slice.conversion().isRunning()).isTrue());
  }

  @Test
  void stopEndsAllAfterTheBlocksInHandAndForGood() throws Exception {
    jobs.start(JobKind.CONVERT, 0, 1);
    inHand.await();
    int before = changes.get();
    FutureTask<Void> stop = stopOnAThread(JobKind.CONVERT);
    awaitStored("DS-1", false);
    awaitStored("DS-2", false);
    // It waits for the blocks in work, and nothing waits for it meanwhile.
    assertThat(jobs.infos(JobKind.CONVERT))
        .hasSize(2)
        .allMatch(job -> job.state() == JobInfo.State.RUNNING);
    assertThat(stop.isDone()).isFalse();
    letGo.countDown();
    stop.get(30, TimeUnit.SECONDS);
    assertThat(jobs.infos(JobKind.CONVERT))
        .hasSize(2)
        .allMatch(job -> job.state() == JobInfo.State.STOPPED);
    assertThat(begun).isEqualTo(Map.of("DS-1", 1, "DS-2", 1));
    assertThat(stored("DS-1").goal()).isEqualTo(ConversionState.Goal.REDUCED);
    assertThat(changes.get()).as("the scan is told").isGreaterThan(before);
    jobs.resume();
    assertThat(jobs.infos(JobKind.CONVERT)).allMatch(job -> job.state() == JobInfo.State.STOPPED);
  }

  @Test
  void stopLeavesJobsOfOtherKindsAlone() throws Exception {
    jobs.start(JobKind.CONVERT, 0, 1);
    inHand.await();
    jobs.stop(JobKind.INFLATE);
    jobs.stop(JobKind.VERIFY);
    assertThat(stored("DS-1").isRunning()).isTrue();
    letGo.countDown();
    HdrfCluster.await(
        "the end",
        () ->
            jobs.infos(JobKind.CONVERT).stream()
                .allMatch(job -> job.state() == JobInfo.State.DONE));
    assertThat(begun).isEqualTo(Map.of("DS-1", BLOCKS, "DS-2", BLOCKS));
  }

  /** Its empty set of blocks would be done at once: another pool, or volume, is loaded first. */
  @Test
  void noJobRunsWhereTheBlocksAreNotKnownYet() throws Exception {
    openAgain();
    letGo.countDown();
    jobs.start(JobKind.VERIFY, 0, 1);
    jobs.start(JobKind.INFLATE, 0, 1);
    jobs.resume();
    assertThat(jobs.infos(JobKind.VERIFY)).allMatch(job -> job.state() == JobInfo.State.NONE);
    assertThat(jobs.infos(JobKind.INFLATE)).allMatch(job -> job.state() == JobInfo.State.NONE);
    volumes.find("DS-1", POOL).noteLoaded();
    jobs.resume();
    awaitStored("DS-1", false);
    assertThat(stored("DS-2").isRunning()).isTrue();
    assertThat(begun).isEqualTo(Map.of("DS-1", BLOCKS));
    volumes.find("DS-2", POOL).noteLoaded();
    jobs.resume();
    awaitStored("DS-2", false);
    assertThat(begun).isEqualTo(Map.of("DS-1", BLOCKS, "DS-2", BLOCKS));
  }

  /** All blocks would be left plain, and the conversion be over. */
  @Test
  void noConversionBeginsWhereNothingMayBeReducedYet() throws Exception {
    mayReduce = false;
    letGo.countDown();
    jobs.start(JobKind.CONVERT, 0, 1);
    assertWaits();
    jobs.resume();
    assertWaits();
    assertThat(jobs.infos(JobKind.VERIFY)).allMatch(job -> job.state() == JobInfo.State.NONE);
    mayReduce = true;
    jobs.resume();
    awaitStored("DS-1", false);
    awaitStored("DS-2", false);
    assertThat(begun).isEqualTo(Map.of("DS-1", BLOCKS, "DS-2", BLOCKS));
  }

  private boolean mayReduce() {
    if (looksFail) {
      throw new IllegalStateException("no memory");
    }
    CountDownLatch hanging = lookHangs;
    if (hanging != null) {
      lookBegun.countDown();
      try {
        hanging.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    return mayReduce;
  }

  private void assertWaits() throws IOException {
    assertThat(jobs.infos(JobKind.CONVERT))
        .hasSize(2)
        .allMatch(job -> job.state() == JobInfo.State.WAITING)
        .allMatch(job -> job.mode().equals("converting once the upgrade is finalized"));
    for (String volume : new String[] {"DS-1", "DS-2"}) {
      assertThat(stored(volume).isRunning()).isTrue();
    }
  }

  private void awaitWaiting() throws InterruptedException {
    HdrfCluster.await(
        "the upgrade to be met",
        () ->
            jobs.infos(JobKind.CONVERT).stream()
                .allMatch(job -> job.mode().equals("converting once the upgrade is finalized")));
  }

  /** The conversion goes on when the upgrade is over, without a word from HDFS. */
  @Test
  void aConversionRestsWhileAnUpgradeIsOpen() throws Exception {
    jobs.start(JobKind.CONVERT, 7, 1);
    inHand.await();
    mayReduce = false;
    letGo.countDown();
    awaitWaiting();
    assertWaits();
    assertThat(begun).as("no look at the other blocks").isEqualTo(Map.of("DS-1", 1, "DS-2", 1));
    assertThat(timed).as("one for all volumes").hasSize(1);
    timed.remove().run();
    assertWaits();
    assertThat(timed).as("the next look").hasSize(1);
    mayReduce = true;
    begun.clear();
    timed.remove().run();
    awaitStored("DS-1", false);
    awaitStored("DS-2", false);
    assertThat(begun).isEqualTo(Map.of("DS-1", BLOCKS, "DS-2", BLOCKS));
    assertThat(jobs.infos(JobKind.CONVERT)).allMatch(job -> job.mode().equals("automatic"));
    assertThat(timed).isEmpty();
  }

  @Test
  void aConversionThatRestsCanBeStopped() throws Exception {
    mayReduce = false;
    jobs.start(JobKind.CONVERT, 0, 1);
    jobs.stop(JobKind.CONVERT);
    assertThat(jobs.infos(JobKind.CONVERT))
        .allMatch(job -> job.state() == JobInfo.State.NONE)
        .allMatch(job -> job.mode().equals("new blocks only"));
    mayReduce = true;
    timed.remove().run();
    assertThat(begun).isEmpty();
    assertThat(timed).isEmpty();
  }

  /** As where one has ended, an upgrade begins, and another one is asked for. */
  @Test
  void aConversionAfterAnotherOneIsBegunWhenItMay() throws Exception {
    letGo.countDown();
    jobs.start(JobKind.CONVERT, 0, 1);
    awaitStored("DS-1", false);
    awaitStored("DS-2", false);
    mayReduce = false;
    begun.clear();
    jobs.start(JobKind.CONVERT, 0, 1);
    jobs.resume();
    assertThat(stored("DS-1").isRunning()).isTrue();
    assertThat(begun).isEmpty();
    mayReduce = true;
    jobs.resume();
    awaitStored("DS-1", false);
    awaitStored("DS-2", false);
    assertThat(begun).isEqualTo(Map.of("DS-1", BLOCKS, "DS-2", BLOCKS));
  }

  /** Nothing is done there, and the caller must not take the rest for all. */
  @Test
  void whatIsNotInServiceWithAllItsBlocksIsLeftOut() throws IOException {
    for (String id : new String[] {"DS-1", "DS-2"}) {
      Files.createFile(directory.resolve(id).resolve("current/VERSION"));
    }
    openAgain();
    assertThat(counts.leftOut())
        .hasSize(2)
        .noneMatch(ReducedBlocks::isCounted)
        .allMatch(count -> count.obstacle().contains("does not know all its blocks yet"));
    volumes.forEach(PoolSlice::noteLoaded);
    assertThat(counts.leftOut()).isEmpty();
    volumes.closeVolume("DS-2");
    assertThat(counts.leftOut())
        .hasSize(1)
        .allMatch(count -> count.directory().startsWith(directory.resolve("DS-2").toString()))
        .allMatch(count -> count.obstacle().contains("does not have it in service"));
  }

  /**
   * A failure to record the end is reported, and the job ends here nevertheless, as on the other
   * volumes.
   */
  @Test
  void aVolumeThatCanNotKeepItHoldsNoOtherUp() throws Exception {
    jobs.start(JobKind.INFLATE, 0, 1);
    inHand.await();
    for (String failing : new String[] {"DS-1", "DS-2"}) {
      assertThat(stored(failing).isRunning()).isTrue();
    }
    broken = directory.resolve("DS-1");
    FutureTask<Void> stop = stopOnAThread(JobKind.INFLATE);
    // The volumes come in any order: both jobs are told before either goes on.
    failed.await();
    awaitStored("DS-2", false);
    letGo.countDown();
    assertThatThrownBy(() -> stop.get(30, TimeUnit.SECONDS))
        .hasMessageContaining("the disk is broken");
    assertThat(stored("DS-2").isRunning()).isFalse();
    assertThat(stored("DS-1").isRunning()).as("after a restart it goes on").isTrue();
    assertThat(jobs.infos(JobKind.INFLATE)).allMatch(job -> job.state() == JobInfo.State.STOPPED);
    assertThat(begun).isEqualTo(Map.of("DS-1", 1, "DS-2", 1));
    // Once it can be kept, it is.
    broken = null;
    jobs.stop(JobKind.INFLATE);
    assertThat(stored("DS-1").isRunning()).as("asked for again").isFalse();
  }

  /** The end of a job reads all blocks, and writes. */
  @Test
  void nobodyWaitsForWhoWaitsForAJobOfAnotherKind() throws Exception {
    hangingThreads = "hdrf-inflate";
    letGo.countDown();
    jobs.start(JobKind.INFLATE, 0, 1);
    HdrfCluster.await(
        "the blocks",
        () ->
            jobs.infos(JobKind.INFLATE).stream()
                .allMatch(job -> job.state() == JobInfo.State.DONE));
    FutureTask<Void> start = startOnAThread(JobKind.CONVERT);
    Thread.sleep(500);
    stopOnAThread(JobKind.VERIFY).get(20, TimeUnit.SECONDS);
    assertThat(jobs.infos(JobKind.CONVERT)).allMatch(job -> job.state() == JobInfo.State.NONE);
    assertThat(start.isDone()).isFalse();
    hang.countDown();
    start.get(30, TimeUnit.SECONDS);
    HdrfCluster.await(
        "the conversion",
        () ->
            jobs.infos(JobKind.CONVERT).stream()
                .allMatch(job -> job.state() == JobInfo.State.DONE));
    assertThat(begun).isEqualTo(Map.of("DS-1", 2 * BLOCKS, "DS-2", 2 * BLOCKS));
  }

  @Test
  void aDiskThatHangsDoesNotKeepAnyoneFromAsking() throws Exception {
    hanging = directory.resolve("DS-1");
    FutureTask<Void> start = startOnAThread(JobKind.INFLATE);
    Thread.sleep(500);
    assertThat(onAThread(() -> jobs.infos(JobKind.INFLATE)).get(20, TimeUnit.SECONDS)).hasSize(2);
    assertThat(start.isDone()).isFalse();
    hang.countDown();
    letGo.countDown();
    start.get(30, TimeUnit.SECONDS);
  }

  @Test
  void aLookThatFailsIsNotTheLastOne() throws Exception {
    mayReduce = false;
    jobs.start(JobKind.CONVERT, 0, 1);
    assertWaits();
    looksFail = true;
    assertThatThrownBy(() -> timed.remove().run()).hasMessage("no memory");
    looksFail = false;
    mayReduce = true;
    letGo.countDown();
    assertThat(timed).as("the next look").hasSize(1);
    timed.remove().run();
    awaitStored("DS-1", false);
    awaitStored("DS-2", false);
  }

  /** HDFS takes it out of service. */
  @Test
  void aVolumeLeavesWhileALookAtItHangs() throws Exception {
    mayReduce = false;
    jobs.start(JobKind.CONVERT, 0, 1);
    lookHangs = new CountDownLatch(1);
    CountDownLatch looks = lookBegun;
    FutureTask<Void> look = new FutureTask<>(timed.remove(), null);
    new Thread(look).start();
    looks.await();
    FutureTask<Void> leaving = new FutureTask<>(() -> jobs.closeVolume("DS-1"), null);
    new Thread(leaving).start();
    try {
      leaving.get(10, TimeUnit.SECONDS);
    } finally {
      lookHangs.countDown();
      look.get(10, TimeUnit.SECONDS);
    }
  }
}
