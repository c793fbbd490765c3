/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.metadata;

import io.hdrf.spi.io.DurableFiles;
import io.hdrf.spi.store.MetadataException;
import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.MetadataStoreProvider;
import io.hdrf.spi.store.StoreBatch;
import io.hdrf.spi.store.StoreContext;
import io.hdrf.spi.store.StoreCorruptException;
import io.hdrf.spi.store.StoreForeignException;
import io.hdrf.spi.store.StoreFullException;
import io.hdrf.spi.store.StoreNotOpenException;
import io.hdrf.spi.store.StoreUnreachableException;
import io.hdrf.spi.store.Table;
import io.hdrf.spi.thread.RepeatingThread;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the records of one pool on one volume: the task of the thread of {@link VolumeRecords}.
 * Other threads begin tasks, and ask the store and its status.
 */
final class RecordKeeper implements RepeatingThread.Task {

  private static final Logger LOG = LoggerFactory.getLogger(RecordKeeper.class);

  private static final long FIRST_RETRY_MILLIS = 500;

  /** The longest time from a change of a file to {@link VolumeRecords#changed}. */
  private static final long SETTLE_MILLIS = 200;

  /** The number of checks between two looks at a store that another process uses. */
  private static final int FOREIGN_CHECKS = 30;

  private static final long MAX_FOREIGN_LOOK_MILLIS = TimeUnit.MINUTES.toMillis(10);

  /** Values of {@link #comparedAt}. */
  private static final int NEVER = -1;

  /** Too many blocks could not be read to remember each. */
  private static final int TOO_MANY_UNREADABLE = -2;

  private static final long REMINDER_MILLIS = TimeUnit.MINUTES.toMillis(10);

  interface Question<T> {
    T of(MetadataStore store) throws MetadataException;
  }

  private final MetadataStoreProvider provider;
  private final StoreContext context;
  private final byte[] volume;
  private final Path directory;
  private final DurableFiles files;
  private final BlockInventory inventory;
  private final RecordSettings settings;
  private final RecordCounters counters;
  private final StoreListener listener;

  private final ChangedBlocks changes;
  private final Queue<RecordTask> tasks = new ConcurrentLinkedQueue<>();
  private final Semaphore wake = new Semaphore(0);
  private volatile boolean stopping;
  private volatile boolean ended;

  /** Damage that another thread found; this thread handles it. */
  private final AtomicReference<StoreCorruptException> damage = new AtomicReference<>();

  private volatile StoreStatus status = StoreStatus.opening();

  /** Written only by the thread; others read it to look up records. */
  private volatile StoreLink link;

  // What follows is the thread's alone.

  /**
   * The mark of an earlier process. It may vouch for records although blocks changed since: all
   * these changes are known here, but to no process after a kill. So it does not lie on the volume.
   */
  private StoreCheckpoint firstMark;

  private boolean firstMarkTaken;

  /** Others ask for its size. */
  private final UnreadableBlocks unreadable;

  private boolean tooManyUnreadable;
  private boolean clearWanted;

  /** The link's losses when all records were last right, or {@link #NEVER} and its like. */
  private int comparedAt = NEVER;

  /** The reason why the store may lose records by itself, or null. */
  private String forgets;

  /** Set while another process uses the store, until the next look at it; otherwise null. */
  private StoreForeignException foreign;

  private long foreignLookAt;

  /** Whether another user of the store was seen since it was last open. */
  private boolean wary;

  /** Since when nothing is written, and since when because the store fails. */
  private long downSince;

  private long failingSince;
  private long retryMillis = FIRST_RETRY_MILLIS;
  private long reminder;

  /** Parameters as for {@link VolumeRecords}. */
  RecordKeeper(
      MetadataStoreProvider provider,
      StoreContext context,
      byte[] volume,
      Path directory,
      DurableFiles files,
      BlockInventory inventory,
      RecordSettings settings,
      RecordCounters counters,
      StoreListener listener,
      ChangedBlocks changes) {
    this.provider = provider;
    this.context = context;
    this.volume = volume.clone();
    this.directory = directory;
    this.files = files;
    this.inventory = inventory;
    this.settings = settings;
    this.counters = counters;
    this.listener = listener;
    this.changes = changes;
    this.unreadable = new UnreadableBlocks(settings.maxPending());
  }

  /**
   * Takes the mark of an earlier process off the volume. To be called before the thread starts, and
   * before any change can come.
   */
  void takeMark() {
    try {
      takeFirstMark();
    } catch (IOException e) {
      LOG.warn(
          "The mark in {} can't be removed yet; until then a kill may leave it, though it misses a"
              + " record",
          directory,
          e);
    }
  }

  private void takeFirstMark() throws IOException {
    if (firstMark == null) {
      firstMark = StoreCheckpoint.load(directory);
    }
    if (!firstMarkTaken) {
      StoreCheckpoint.remove(directory, files);
      firstMarkTaken = true;
    }
  }

  /** Starts a task on the thread that writes the records. Never waits. */
  RecordTask begin(RecordTask.Kind kind) {
    RecordTask task = new RecordTask(kind);
    StoreStatus now = status;
    if (now.state() == StoreStatus.State.DOWN) {
      task.fail(unreachable(now));
      return task;
    }
    tasks.add(task);
    wake.release();
    if (ended) {
      endTasks(null);
    }
    return task;
  }

  /** Returns the status of the store. */
  StoreStatus status() {
    StoreStatus now = status;
    return changes.isIncomplete() && now.state() == StoreStatus.State.IN_STEP
        ? StoreStatus.comparing()
        : now;
  }

  /** Returns the number of changed blocks that can't be looked at. */
  int unreadable() {
    return unreadable.size();
  }

  /** Asks the store. If that finds damage, the store is set aside and its records are rebuilt. */
  <T> T ask(Question<T> question) throws MetadataException {
    MetadataStore store = open();
    try {
      return question.of(store);
    } catch (StoreCorruptException e) {
      if (isOpen(store)) {
        damage.set(e);
        wake.release();
      }
      throw e;
    }
  }

  private boolean isOpen(MetadataStore store) {
    StoreLink current = link;
    return current != null && current.store() == store;
  }

  private MetadataStore open() throws StoreUnreachableException {
    StoreLink current = link;
    if (current == null) {
      throw unreachable(status);
    }
    return current.store();
  }

  private StoreUnreachableException unreachable(StoreStatus now) {
    String message = "the " + provider.name() + " store for " + directory + " is " + now;
    return now.state() == StoreStatus.State.OPENING
        ? new StoreNotOpenException(message)
        : new StoreUnreachableException(message);
  }

  /** Has the thread end what it does soon. */
  void beginStop() {
    stopping = true;
    wake.release();
  }

  @Override
  public void step() {
    long cpu = threadCpu();
    try {
      work();
      if (downSince != 0) {
        LOG.info("The {} store for {} works again", provider.name(), directory);
      }
      downSince = 0;
      failingSince = 0;
      retryMillis = FIRST_RETRY_MILLIS;
      status = worked();
      awaitChanges();
    } catch (IOException | RuntimeException | Error e) {
      counters.failure();
      long now = System.nanoTime();
      downSince = downSince == 0 ? now : downSince;
      long downMillis = TimeUnit.NANOSECONDS.toMillis(now - downSince);
      if (downMillis == 0 || downMillis >= reminder) {
        warn(e);
        reminder = downMillis + REMINDER_MILLIS;
      }
      afterFailure(e);
      status =
          foreign == null
              ? StoreStatus.down(e)
              : StoreStatus.leftAlone(
                  foreign, TimeUnit.MILLISECONDS.toSeconds(foreignLookMillis()));
      endTasks(e);
      if (foreign != null) {
        // A store of another volume, or in use by another process, is no failure of this volume.
        failingSince = 0;
      } else {
        failingSince = failingSince == 0 ? now : failingSince;
        listener.onDown(
            TimeUnit.NANOSECONDS.toMillis(now - failingSince),
            e instanceof Exception ? (Exception) e : new IOException(e));
      }
      awaitRetry(retryMillis);
      retryMillis = Math.min(2 * retryMillis, settings.checkMillis());
    } finally {
      counters.cpu(threadCpu() - cpu);
    }
  }

  /** Returns the status when nothing is left to do. */
  private StoreStatus worked() {
    if (forgets != null) {
      return StoreStatus.notInStep(forgets);
    }
    if (!unreadable.isEmpty()) {
      return StoreStatus.notInStep(
          unreadable.size() + " blocks can't be looked at, such as " + unreadable.example());
    }
    return isVouchedFor()
        ? StoreStatus.inStep()
        : StoreStatus.notInStep("blocks can't be looked at, such as " + unreadable.example());
  }

  /** Returns whether every block has its record except those that changed. */
  private boolean isVouchedFor() {
    return comparedAt == link.losses() && forgets == null && unreadable.isEmpty();
  }

  private void endTasks(Throwable why) {
    for (RecordTask task = tasks.poll(); task != null; task = tasks.poll()) {
      if (why == null) {
        task.end(null);
      } else {
        task.fail(why);
      }
    }
  }

  private void warn(Throwable e) {
    LOG.warn(
        "The {} store for {} fails: {}. Blocks are written and read as before; their records are"
            + " caught up when it works again",
        provider.name(),
        directory,
        e.getMessage() == null ? e.toString() : e.getMessage(),
        e instanceof StoreUnreachableException ? null : e);
  }

  private void afterFailure(Throwable e) {
    if (e instanceof StoreUnreachableException || e instanceof StoreFullException) {
      return;
    }
    closeLink();
    if (e instanceof StoreForeignException && e != foreign) {
      foreign = (StoreForeignException) e;
      foreignLookAt = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(foreignLookMillis());
      wary = true;
    }
    if (e instanceof StoreCorruptException && !wary) {
      try {
        provider.setAside(context);
        clearWanted = true;
      } catch (IOException | RuntimeException failure) {
        LOG.warn("The damaged store for {} can't be set aside", directory, failure);
      }
    }
  }

  private long foreignLookMillis() {
    return Math.max(
        settings.checkMillis(),
        Math.min(FOREIGN_CHECKS * settings.checkMillis(), MAX_FOREIGN_LOOK_MILLIS));
  }

  private void work() throws IOException {
    if (foreign != null) {
      if (System.nanoTime() - foreignLookAt < 0) {
        throw foreign;
      }
      foreign = null;
    }
    StoreCorruptException met = damage.getAndSet(null);
    if (met != null && link != null) {
      throw met;
    }
    if (link == null) {
      status = wary ? status : StoreStatus.opening();
      takeFirstMark();
      StoreLink opened =
          StoreLink.open(
              provider,
              context,
              volume,
              directory,
              files,
              firstMark,
              settings.checkMillis(),
              wary,
              clearWanted && !wary,
              () -> stopping);
      wary = false;
      status = StoreStatus.opening();
      comparedAt = opened.isComplete() ? opened.losses() : NEVER;
      link = opened;
    } else {
      link.checkInStep();
    }
    askWhetherItForgets();
    if (clearWanted) {
      link.store().clear();
      comparedAt = NEVER;
      link.checkInStep();
      clearWanted = false;
    }
    link.beat();
    if (changes.isIncomplete() || (comparedAt != link.losses() && isTimeToCompare())) {
      compareAll();
    }
    lookAgain();
    writeAllChanges();
    for (RecordTask task = tasks.poll(); task != null; task = tasks.poll()) {
      run(task);
      writeAllChanges();
    }
    unreadable.schedule(hasUnreadable());
  }

  private void askWhetherItForgets() throws MetadataException {
    String before = forgets;
    forgets = link.store().mayForget();
    if (forgets != null && before == null) {
      LOG.warn(
          "The {} store for {} may lose records by itself, which are not vouched for: {}",
          provider.name(),
          directory,
          forgets);
    } else if (forgets == null && before != null) {
      comparedAt = NEVER;
    }
  }

  private boolean isTimeToCompare() {
    return comparedAt != TOO_MANY_UNREADABLE || unreadable.isDue();
  }

  private void compareAll() throws IOException {
    changes.setIncomplete(false);
    boolean done = false;
    try {
      done = compareAll(PlainReasons.none(), null) != null;
    } finally {
      if (!done && comparedAt != TOO_MANY_UNREADABLE) {
        changes.setIncomplete(true);
      }
    }
  }

  /**
   * Compares all records and writes all differences.
   *
   * @param reasons why blocks are plain
   * @param task receives the progress, or null
   * @return null if it was stopped, or records were lost meanwhile
   */
  private CheckResult compareAll(PlainReasons reasons, RecordTask task) throws IOException {
    LOG.info("Comparing the records in the {} store with {}", provider.name(), directory);
    counters.rebuild();
    comparedAt = NEVER;
    CheckResult result = check(RecordCheck.Mode.MAKE, reasons, task);
    if (result != null) {
      LOG.info(
          "Records of {} blocks in {} are compared: {} were missing, {} wrong, {} of blocks that"
              + " are gone, {} blocks can't be looked at",
          result.blocks(),
          directory,
          result.missing(),
          result.wrong(),
          result.extra(),
          result.unreadable());
    }
    return result;
  }

  /**
   * Compares all records. Begins and ends with a batch, so that a store that goes back to an
   * earlier state meanwhile is detected.
   *
   * @return null if it was stopped, or records were lost meanwhile
   */
  private CheckResult check(RecordCheck.Mode mode, PlainReasons reasons, RecordTask task)
      throws IOException {
    int lossesBefore = link.losses();
    link.write(new StoreBatch(), isVouchedFor());
    status = StoreStatus.comparing();
    tooManyUnreadable = false;
    CheckResult result =
        new RecordCheck(link.store(), inventory, mode, new Host(reasons, task)).run();
    if (result == null || !link.checkInStep() || link.losses() != lossesBefore) {
      return null;
    }
    if (mode != RecordCheck.Mode.LOOK) {
      counters.written(result.missing() + result.wrong());
      counters.deleted(result.extra());
      comparedAt = tooManyUnreadable ? TOO_MANY_UNREADABLE : lossesBefore;
    }
    link.write(new StoreBatch(), isVouchedFor());
    return link.losses() == lossesBefore ? result : null;
  }

  private final class Host implements RecordCheck.Host {
    private final PlainReasons reasons;
    private final RecordTask task;

    Host(PlainReasons reasons, RecordTask task) {
      this.reasons = reasons;
      this.task = task;
    }

    @Override
    public boolean isStopping() {
      return stopping;
    }

    @Override
    public void progress(long done, long total) {
      status = StoreStatus.comparing(done, total);
      if (task != null) {
        task.progress(done, total);
      }
    }

    @Override
    public void write(StoreBatch batch) throws IOException {
      link.write(batch, isVouchedFor());
    }

    @Override
    public void between() throws IOException {
      link.beat();
      if (!changes.isEmpty()) {
        writeChanges();
      }
    }

    @Override
    public void alive() throws IOException {
      link.beat();
    }

    @Override
    public void settle() throws IOException {
      try {
        Thread.sleep(SETTLE_MILLIS);
      } catch (InterruptedException e) {
        LOG.debug("Nobody interrupts this thread to any purpose", e);
      }
      writeAllChanges();
    }

    @Override
    public boolean isUnderWay(long blockId) {
      return changes.contains(blockId);
    }

    @Override
    public void unreadable(long blockId) {
      addUnreadable(blockId, reasons.of(blockId), "block " + blockId);
    }

    @Override
    public int reason(long blockId) {
      return reasons.of(blockId);
    }
  }

  private void run(RecordTask task) throws IOException {
    try {
      CheckResult result;
      if (task.kind() == RecordTask.Kind.REBUILD) {
        PlainReasons reasons = PlainReasons.of(link.store());
        link.store().clear();
        link.checkInStep();
        result = compareAll(reasons, task);
      } else {
        result =
            check(
                task.kind() == RecordTask.Kind.REPAIR
                    ? RecordCheck.Mode.MEND
                    : RecordCheck.Mode.LOOK,
                PlainReasons.none(),
                task);
      }
      if (result == null && !stopping) {
        throw new StoreUnreachableException(
            "the "
                + provider.name()
                + " store for "
                + directory
                + " lost records meanwhile; all are compared with the blocks");
      }
      task.end(result);
    } catch (IOException | RuntimeException | Error e) {
      task.fail(e);
      throw e;
    }
  }

  private void writeAllChanges() throws IOException {
    while (!changes.isEmpty() && !stopping) {
      writeChanges();
    }
  }

  private void writeChanges() throws IOException {
    Map<Long, ChangedBlocks.Change> some = changes.some(RecordCheck.BATCH);
    List<byte[]> gone = new ArrayList<>();
    StoreBatch batch = new StoreBatch();
    for (Map.Entry<Long, ChangedBlocks.Change> change : some.entrySet()) {
      long blockId = change.getKey();
      int reason = change.getValue().reason();
      try {
        BlockRecord is = inventory.look(blockId, reason);
        unreadable.remove(blockId);
        if (is == null) {
          gone.add(BlockRecord.key(blockId));
        } else {
          batch.put(Table.BLOCKS, BlockRecord.key(blockId), is.encode());
        }
      } catch (IOException e) {
        addUnreadable(blockId, reason, "block " + blockId + ": " + e.getMessage());
      }
    }
    int puts = batch.size();
    // Most blocks that are not here never were: they lie on another volume.
    List<byte[]> known = link.store().get(Table.BLOCKS, gone);
    for (int i = 0; i < gone.size(); i++) {
      if (known.get(i) != null) {
        batch.delete(Table.BLOCKS, gone.get(i));
      }
    }
    if (batch.size() > 0) {
      int deletes = batch.size() - puts;
      link.write(batch, isVouchedFor());
      counters.written(puts);
      counters.deleted(deletes);
    }
    changes.written(some);
  }

  /** The block's record may be wrong until it can be looked at. */
  private void addUnreadable(long blockId, int reason, String what) {
    if (unreadable.isEmpty()) {
      LOG.warn("The record of {} in {} can't be written: it can't be looked at", what, directory);
    }
    if (!unreadable.add(blockId, reason, what)) {
      counters.overflow();
      tooManyUnreadable = true;
      comparedAt = TOO_MANY_UNREADABLE;
    }
  }

  /** Queues unreadable blocks for another look after some time. */
  private void lookAgain() {
    if (!unreadable.isEmpty() && unreadable.isDue()) {
      unreadable.forEach(changes::addAgain);
    }
  }

  private boolean hasUnreadable() {
    return !unreadable.isEmpty() || comparedAt == TOO_MANY_UNREADABLE;
  }

  /** Waits until changes were collected for a while, or the store was idle for long. */
  private void awaitChanges() {
    long began = System.nanoTime();
    boolean gathering = false;
    while (!stopping && !changes.isIncomplete() && damage.get() == null && tasks.isEmpty()) {
      if (!gathering && !changes.isEmpty()) {
        gathering = true;
        began = System.nanoTime();
      }
      long millis = gathering ? settings.flushMillis() : settings.checkMillis();
      if (!gathering && hasUnreadable()) {
        millis = Math.max(1, Math.min(millis, unreadable.millisUntilDue(began)));
      }
      // changed() takes no lock and wakes no thread, so poll for changes.
      if (!sleepUntil(began, millis, settings.flushMillis())) {
        return;
      }
    }
  }

  private void awaitRetry(long millis) {
    long began = System.nanoTime();
    while (!stopping && sleepUntil(began, millis, millis)) {
      // A failing store is left alone for that time, whatever woke the thread.
      continue;
    }
  }

  /** Sleeps until {@code millis} after {@code began}, but no longer than {@code most}. */
  private boolean sleepUntil(long began, long millis, long most) {
    long left = millis - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
    if (left <= 0) {
      return false;
    }
    try {
      if (wake.tryAcquire(Math.min(left, most), TimeUnit.MILLISECONDS)) {
        wake.drainPermits();
      }
      return true;
    } catch (InterruptedException e) {
      return false;
    }
  }

  @Override
  public void end() {
    try {
      StoreCheckpoint mark = link == null ? untouchedMark() : finish();
      if (mark != null && !inventory.mayGoBack()) {
        changes.mark(mark);
      }
    } catch (IOException | RuntimeException | Error e) {
      LOG.info("Records of {} are caught up at the next start: {}", directory, e.getMessage());
    }
    if (!firstMarkTaken) {
      // It could not be read, but it may be one.
      VolumeRecords.distrust(directory, files);
    }
    closeLink();
    ended = true;
    endTasks(null);
  }

  /** Returns the mark that vouches for the records from now on, or null. */
  private StoreCheckpoint finish() throws IOException {
    link.checkInStep();
    while (!changes.isEmpty()) {
      writeChanges();
    }
    return !changes.isIncomplete() && isVouchedFor() ? link.finish() : null;
  }

  /** Returns the mark of an earlier process if this one never took the store over, or null. */
  private StoreCheckpoint untouchedMark() throws IOException {
    takeFirstMark();
    return firstMark.sequence() > StoreCheckpoint.load(directory).sequence() ? firstMark : null;
  }

  private void closeLink() {
    StoreLink closing = link;
    link = null;
    if (closing != null) {
      try {
        closing.close();
      } catch (IOException | RuntimeException | Error e) {
        LOG.warn("Closing the {} store for {} failed", provider.name(), directory, e);
      }
    }
  }

  private static long threadCpu() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }
}
