/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.job;

import io.hdrf.admin.JobInfo;
import io.hdrf.admin.JobKind;
import io.hdrf.conf.HdrfKeys;
import io.hdrf.datanode.volume.PoolSlice;
import io.hdrf.datanode.volume.PoolSlices;
import io.hdrf.spi.io.RateThrottle;
import io.hdrf.volume.ConversionState;
import io.hdrf.volume.ConversionState.Goal;
import io.hdrf.wire.Timer;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The jobs that administrators run on all blocks of a DataNode: a {@link VolumeJob} for each pool
 * on each volume. Converting and inflating exclude each other; which of them a volume is to undergo
 * is kept on the volume, so that a restart goes on with it. A verification ends with the DataNode.
 * Thread-safe.
 */
public final class VolumeJobs implements Closeable {

  private static final Logger LOG = LoggerFactory.getLogger(VolumeJobs.class);

  /** The time between two looks at whether an upgrade is over that conversions wait for. */
  private static final long UPGRADE_LOOK_SECONDS = 60;

  /** Makes the tasks. */
  interface Tasks {

    /**
     * A task for one volume.
     *
     * @param fraction which share of the blocks is verified
     */
    BlockTask task(JobKind kind, PoolSlice slice, double fraction);
  }

  /** The last job of its kind on a volume, running or not. */
  private static final class Slot {
    private final PoolSlice slice;
    private volatile VolumeJob conversion;
    private volatile VolumeJob verification;

    /** A conversion is to run, and none does: an upgrade is open. */
    private volatile boolean waiting;

    Slot(PoolSlice slice) {
      this.slice = slice;
    }

    VolumeJob job(JobKind kind) {
      VolumeJob job = kind == JobKind.VERIFY ? verification : conversion;
      return job != null && job.kind() == kind ? job : null;
    }

    boolean isRunning(JobKind kind) {
      VolumeJob job = job(kind);
      return job != null && job.isRunning() && !job.isStopping();
    }

    /** What becomes of blocks there, for people. */
    String mode() {
      return slice.conversion() + (waiting ? " once the upgrade is finalized" : "");
    }
  }

  private final PoolSlices slices;
  private final Tasks tasks;
  private final Predicate<String> inService;
  private final Predicate<PoolSlice> mayReduce;
  private final Timer timer;
  private final Runnable onConversion;
  private final int nice;
  private final JobCounters counters = new JobCounters();
  private final RateThrottle conversionThrottle = new RateThrottle(RateThrottle.SYSTEM);
  private final RateThrottle verificationThrottle = new RateThrottle(RateThrottle.SYSTEM);
  private final Map<PoolSlice, Slot> slots = new ConcurrentHashMap<>();
  private final AtomicBoolean looksSoon = new AtomicBoolean();
  private boolean closed;

  /**
   * @param inService whether the volume with this storage id is: the blocks of one that leaves are
   *     gone, which is not to be taken for being done
   * @param mayReduce whether no upgrade is open, or may be, that keeps blocks as they are
   * @param timer calls {@link #resume} while one is; others may call it sooner
   * @param nice the nice value of the jobs' threads
   * @param onConversion is run when a volume's {@link PoolSlice#conversion} has changed
   */
  public VolumeJobs(
      PoolSlices slices,
      Tasks tasks,
      Predicate<String> inService,
      Predicate<PoolSlice> mayReduce,
      Timer timer,
      int nice,
      Runnable onConversion) {
    this.inService = inService;
    this.mayReduce = mayReduce;
    this.timer = timer;
    this.slices = slices;
    this.tasks = tasks;
    this.nice = nice;
    this.onConversion = onConversion;
  }

  private static Goal goal(JobKind kind) {
    return kind == JobKind.INFLATE ? Goal.PLAIN : Goal.REDUCED;
  }

  private static JobKind kind(Goal goal) {
    return goal == Goal.PLAIN ? JobKind.INFLATE : JobKind.CONVERT;
  }

  private RateThrottle throttle(JobKind kind) {
    return kind == JobKind.VERIFY ? verificationThrottle : conversionThrottle;
  }

  /** The slots of all volumes that are in service and may hold reduced blocks. */
  private List<Slot> slots() {
    List<Slot> found = new ArrayList<>();
    slices.forEach(
        slice -> {
          if (slice.mayHoldReducedBlocks()) {
            found.add(slots.computeIfAbsent(slice, key -> new Slot(slice)));
          }
        });
    return found;
  }

  /**
   * Begins a job on all volumes; one that runs already gets the new rate. Where the DataNode does
   * not know all blocks yet, nothing is verified, and conversions begin by {@link #resume}, as they
   * do where an upgrade is open.
   *
   * @param rate in bytes a second for the whole DataNode; 0 for any number
   * @param fraction which share of the blocks is verified, more than 0 and at most 1
   */
  public void start(JobKind kind, long rate, double fraction) throws IOException {
    if (rate < 0) {
      throw new IOException("The rate is " + rate + ", accepted is 0 and more");
    }
    if (!(fraction > 0 && fraction <= 1)) {
      throw new IOException("The fraction is " + fraction + ", accepted is more than 0, up to 1");
    }
    List<VolumeJob> ended = new ArrayList<>();
    List<VolumeJob> ending = begin(kind, rate, fraction, ended);
    while (!ending.isEmpty()) {
      // Without the lock, which callers that ask for the progress take.
      ending.forEach(VolumeJob::join);
      ended.addAll(ending);
      ending = begin(kind, rate, fraction, ended);
    }
  }

  private boolean nothingToConvert() {
    return slots().stream().allMatch(slot -> slot.slice.codec() == null);
  }

  /**
   * Begins, unless jobs are to be waited for.
   *
   * @param ended what was waited for; a block may still be in hand, on a disk that hangs
   * @return the jobs to wait for, which are told to stop
   */
  private synchronized List<VolumeJob> begin(
      JobKind kind, long rate, double fraction, List<VolumeJob> ended) throws IOException {
    if (closed) {
      throw new IOException("The DataNode stops");
    }
    List<Slot> all = slots();
    if (kind == JobKind.CONVERT && nothingToConvert()) {
      throw new IOException(
          HdrfKeys.SCHEMES
              + " names no scheme for any volume of this DataNode: nothing to convert");
    }
    List<VolumeJob> ending = stopOthers(kind, all);
    ending.removeAll(ended);
    if (!ending.isEmpty()) {
      return ending;
    }
    throttle(kind).setRate(rate);
    if (kind == JobKind.VERIFY) {
      for (Slot slot : all) {
        if (slot.slice.isLoaded() && !slot.isRunning(kind)) {
          slot.verification = run(kind, slot, fraction);
        }
      }
      return Collections.emptyList();
    }
    IOException failure = null;
    for (Slot slot : all) {
      try {
        convert(kind, slot, rate);
      } catch (IOException e) {
        LOG.error("{} can't be told to {}", slot.slice.directory(), kind.command(), e);
        failure = e;
      }
    }
    onConversion.run();
    if (failure != null) {
      throw failure;
    }
    return Collections.emptyList();
  }

  /** The jobs of the kind that excludes this one, as far as their threads run. */
  private static List<VolumeJob> stopOthers(JobKind kind, List<Slot> all) {
    List<VolumeJob> others = new ArrayList<>();
    for (Slot slot : all) {
      VolumeJob job = slot.conversion;
      if (kind != JobKind.VERIFY && job != null && job.kind() != kind) {
        job.stop();
        if (!job.hasEnded()) {
          others.add(job);
        }
      }
    }
    return others;
  }

  private void convert(JobKind kind, Slot slot, long rate) throws IOException {
    synchronized (slot) {
      if (kind == JobKind.CONVERT && slot.slice.codec() == null) {
        slot.slice.setConversion(ConversionState.AUTOMATIC);
        return;
      }
      slot.slice.setConversion(ConversionState.running(goal(kind), rate));
      if (!slot.isRunning(kind)) {
        slot.conversion = null;
        slot.waiting = false;
        beginConversion(kind, slot, mayReduce);
      }
    }
  }

  /** Begins where that is possible now; {@link #resume} does later where it is not. */
  private void beginConversion(JobKind kind, Slot slot, Predicate<PoolSlice> free) {
    if (!slot.slice.isLoaded() || slot.slice.isLeaving()) {
      return;
    }
    if (kind == JobKind.CONVERT && !free.test(slot.slice)) {
      awaitEndOfUpgrade(slot);
      return;
    }
    slot.conversion = run(kind, slot, 1);
    slot.waiting = false;
  }

  /** HDFS tells of the end of some upgrades only, so it is looked for. */
  private void awaitEndOfUpgrade(Slot slot) {
    slot.waiting = true;
    lookSoon();
  }

  private void lookSoon() {
    if (looksSoon.compareAndSet(false, true)) {
      timer.after(
          TimeUnit.SECONDS.toNanos(UPGRADE_LOOK_SECONDS),
          () -> {
            looksSoon.set(false);
            try {
              resume();
            } catch (RuntimeException | Error e) {
              lookSoon();
              throw e;
            }
          });
    }
  }

  private VolumeJob run(JobKind kind, Slot slot, double fraction) {
    VolumeJob job =
        new VolumeJob(
            kind,
            slot.slice.directory().toString(),
            tasks.task(kind, slot.slice, fraction),
            throttle(kind),
            counters,
            nice,
            ended -> onEnd(slot, ended));
    job.start();
    return job;
  }

  /**
   * Called on the job's own thread; never waits for this object, whose callers may wait for the
   * job.
   */
  private void onEnd(Slot slot, VolumeJob job) {
    if (job.kind() == JobKind.VERIFY) {
      return;
    }
    if (job.kind() == JobKind.INFLATE && job.progress().state() == JobInfo.State.DONE) {
      try {
        slot.slice.noteWhereAllIsPlain();
      } catch (IOException e) {
        LOG.warn("{}: whether all blocks are plain can't be told", slot.slice.directory(), e);
      }
    }
    synchronized (slot) {
      JobInfo.State state = job.progress().state();
      if (slot.conversion == job && state == JobInfo.State.WAITING) {
        if (!job.isStopping()) {
          awaitEndOfUpgrade(slot);
        }
        slot.conversion = null;
      }
      if (slot.conversion == job
          && state == JobInfo.State.DONE
          && !job.isStopping()
          && !slot.slice.isLeaving()
          && inService.test(slot.slice.storageId())) {
        try {
          slot.slice.setConversion(
              job.kind() == JobKind.CONVERT
                  ? ConversionState.AUTOMATIC
                  : slot.slice.conversion().ended());
        } catch (IOException e) {
          LOG.warn(
              "{}: that the job has ended can't be noted; it is done again after a restart",
              slot.slice.directory(),
              e);
        }
      }
    }
    onConversion.run();
  }

  /** Ends a job where it runs; what it has done stays. */
  public void stop(JobKind kind) throws IOException {
    List<VolumeJob> ending = new ArrayList<>();
    IOException failure = null;
    synchronized (this) {
      for (Slot slot : slots()) {
        VolumeJob job = slot.job(kind);
        synchronized (slot) {
          if (job != null) {
            job.stop();
            ending.add(job);
          }
          ConversionState state = slot.slice.conversion();
          if (kind != JobKind.VERIFY && kind(state.goal()) == kind) {
            slot.waiting = false;
            try {
              // Also where it has ended: that could perhaps not be kept the last time.
              slot.slice.setConversion(state.ended());
            } catch (IOException e) {
              failure = e;
            }
          }
        }
      }
    }
    // Without the lock, which callers that ask for the progress take.
    ending.forEach(VolumeJob::join);
    onConversion.run();
    if (failure != null) {
      throw failure;
    }
  }

  /** Goes on with what was interrupted, or could not begin, where it now may. */
  public void resume() {
    // Without the lock: the look may hang with the disk, and then the volume is to leave.
    Set<PoolSlice> free = new HashSet<>();
    slices.forEach(
        slice -> {
          if (slice.conversion().isRunning() && mayReduce.test(slice)) {
            free.add(slice);
          }
        });
    synchronized (this) {
      if (closed) {
        return;
      }
      for (Slot slot : slots()) {
        synchronized (slot) {
          resume(slot, free);
        }
      }
    }
  }

  private void resume(Slot slot, Set<PoolSlice> free) {
    ConversionState state = slot.slice.conversion();
    JobKind kind = kind(state.goal());
    if (!state.isRunning() || slot.conversion != null) {
      return;
    }
    if (kind == JobKind.CONVERT && slot.slice.codec() == null) {
      LOG.info("{} names no scheme for {}", HdrfKeys.SCHEMES, slot.slice.directory());
      return;
    }
    if (state.rate() != conversionThrottle.rate()) {
      conversionThrottle.setRate(state.rate());
    }
    beginConversion(kind, slot, free::contains);
    if (slot.conversion != null) {
      LOG.info("{}: goes on {}", slot.slice.directory(), state);
    }
  }

  /** The progress of the jobs of a kind. Takes no lock: that is held while disks are written to. */
  public List<JobInfo> infos(JobKind kind) {
    List<JobInfo> infos = new ArrayList<>();
    for (Slot slot : slots()) {
      VolumeJob job = slot.job(kind);
      String pool = slot.slice.poolId();
      String directory = slot.slice.directory().toString();
      String mode = slot.mode();
      boolean waiting = slot.waiting && kind == JobKind.CONVERT;
      infos.add(
          job != null
              ? job.progress()
                  .info(slot.slice.storageId(), pool, directory, mode, throttle(kind).rate())
              : new JobInfo(
                  slot.slice.storageId(),
                  pool,
                  directory,
                  mode,
                  waiting ? JobInfo.State.WAITING : JobInfo.State.NONE,
                  Collections.emptyMap(),
                  Collections.emptyMap(),
                  Collections.emptyList()));
    }
    return infos;
  }

  public JobCounters counters() {
    return counters;
  }

  /** Ends the jobs of volumes that leave; what is kept on them stays. */
  public void closePool(String poolId) {
    close(slot -> slot.slice.poolId().equals(poolId));
  }

  /** Ends the jobs on a volume, as {@link #closePool} does. */
  public void closeVolume(String storageId) {
    close(slot -> slot.slice.storageId().equals(storageId));
  }

  private void close(Predicate<Slot> which) {
    List<VolumeJob> ending = new ArrayList<>();
    synchronized (this) {
      for (Slot slot : new ArrayList<>(slots.values())) {
        if (which.test(slot)) {
          slots.remove(slot.slice);
          for (VolumeJob job : new VolumeJob[] {slot.conversion, slot.verification}) {
            if (job != null) {
              job.stop();
              ending.add(job);
            }
          }
        }
      }
    }
    ending.forEach(VolumeJob::join);
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    close(slot -> true);
  }
}
