/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.metadata;

import io.hdrf.io.DurableFiles;
import io.hdrf.thread.RepeatingThread;
import java.io.Closeable;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the records of one pool on one volume in step with its blocks. One thread of its own does
 * all that touches the store: nobody else ever waits for it.
 *
 * <p>What is queued is not a record but the id of a block that changed; when its turn comes, the
 * block is looked at, and that is what is written. So the order of changes does not matter, and a
 * change that waited while the store was down is written as things are by then. Where changes are
 * lost (too many waited, the process was killed, the store lost or found old), all records are
 * compared with the blocks, which is also how a new store is filled. Safe for use by many threads.
 */
public final class VolumeRecords implements Closeable {

  private static final Logger LOG = LoggerFactory.getLogger(VolumeRecords.class);

  /** How long {@link #close} waits for the store to take what is left. */
  private static final long CLOSE_SECONDS = 10;

  private static final long FIRST_RETRY_MILLIS = 500;
  private static final long REMINDER_MILLIS = TimeUnit.MINUTES.toMillis(10);

  private final MetadataStoreProvider provider;
  private final StoreContext context;
  private final byte[] volume;
  private final Path directory;
  private final DurableFiles files;
  private final BlockInventory inventory;
  private final RecordSettings settings;
  private final RecordCounters counters;
  private final StoreListener listener;
  private final RepeatingThread thread;

  /** The blocks that changed, and why they are plain if they are. */
  private final ConcurrentHashMap<Long, Integer> changed = new ConcurrentHashMap<>();

  private final Semaphore wake = new Semaphore(0);
  private volatile boolean comparisonWanted;
  private volatile boolean clearWanted;
  private volatile boolean stopping;
  private volatile boolean marked;
  private volatile int inWork;

  /** Damage that somebody else met; for the thread to deal with. */
  private final AtomicReference<StoreCorruptException> damage = new AtomicReference<>();

  private volatile StoreStatus status = StoreStatus.opening();

  /** Written by the thread alone; others read it to look records up. */
  private volatile StoreLink link;

  /**
   * @param volume names the volume, {@link StoreIdentity#ID_LENGTH} bytes
   * @param directory HDRF's directory of the pool on the volume
   */
  public VolumeRecords(
      MetadataStoreProvider provider,
      StoreContext context,
      byte[] volume,
      Path directory,
      DurableFiles files,
      BlockInventory inventory,
      RecordSettings settings,
      RecordCounters counters,
      StoreListener listener) {
    this.provider = provider;
    this.context = context;
    this.volume = volume.clone();
    this.directory = directory;
    this.files = files;
    this.inventory = inventory;
    this.settings = settings;
    this.counters = counters;
    this.listener = listener;
    this.thread = new RepeatingThread("hdrf-records-" + context.storageId(), new Keeping());
  }

  /** Begins to keep records. Called once. */
  public void start() {
    thread.start();
  }

  /**
   * A block came, went, or has another form. Never waits.
   *
   * @param reason why it is plain, if it is and that is known; otherwise {@link
   *     BlockRecord#NO_REASON}
   */
  public void changed(long blockId, int reason) {
    if (changed.size() >= settings.maxPending() && !changed.containsKey(blockId)) {
      counters.overflow();
      comparisonWanted = true;
      return;
    }
    changed.put(blockId, reason);
    if (marked) {
      unmark();
    }
  }

  /** A change that came after the store was closed makes the mark of an orderly end untrue. */
  private void unmark() {
    try {
      StoreMark.remove(directory, files);
      marked = false;
    } catch (IOException e) {
      LOG.warn("{} may miss a record; 'hdrf fsck --repair' mends that", directory, e);
    }
  }

  /** Has all records compared with the blocks and mended; with {@code clear}, made anew. */
  public void rebuild(boolean clear) {
    if (clear) {
      clearWanted = true;
    }
    comparisonWanted = true;
    wake.release();
  }

  /** The store, for entries of other kinds than block records. Never null. */
  public MetadataStore shared() {
    return new SharedStore(this);
  }

  /** How the store does. */
  public StoreStatus status() {
    StoreStatus now = status;
    return comparisonWanted && now.state() == StoreStatus.State.IN_STEP
        ? StoreStatus.comparing(0)
        : now;
  }

  /** How many changes wait to be written. */
  public int pending() {
    return changed.size() + inWork;
  }

  /** The volume's id in HDFS. */
  public String storageId() {
    return context.storageId();
  }

  public String poolId() {
    return context.poolId();
  }

  /**
   * Looks up a record. May take as long as the store's time-out.
   *
   * @return null if there is none
   */
  public BlockRecord get(long blockId) throws MetadataException {
    byte[] key = BlockRecord.key(blockId);
    byte[] value = ask(store -> store.get(Table.BLOCKS, Collections.singletonList(key))).get(0);
    return value == null ? null : BlockRecord.decode(blockId, value);
  }

  /** The blocks behind {@code after} by ascending id, at most {@code limit}. */
  public List<Long> blockIdsAfter(long after, int limit) throws IOException {
    TreeSet<Long> least = new TreeSet<>();
    inventory.forEach(
        id -> {
          if (id > after && (least.size() < limit || id < least.last())) {
            least.add(id);
            if (least.size() > limit) {
              least.pollLast();
            }
          }
        });
    return new ArrayList<>(least);
  }

  /** The values of many records as they are stored, null where a block has none. */
  public List<byte[]> encoded(List<Long> blockIds) throws MetadataException {
    List<byte[]> keys = new ArrayList<>();
    for (long id : blockIds) {
      keys.add(BlockRecord.key(id));
    }
    return ask(store -> store.get(Table.BLOCKS, keys));
  }

  /** Looks at a block itself; see {@link BlockInventory#look}. */
  public BlockRecord look(long blockId) throws IOException {
    return inventory.look(blockId, BlockRecord.NO_REASON);
  }

  /** HDRF's directory of the pool on the volume. */
  public Path directory() {
    return directory;
  }

  /** Shows all records as they are stored. May take as long as the store likes. */
  public void scan(StoreVisitor visitor) throws MetadataException {
    ask(
        store -> {
          store.scan(Table.BLOCKS, new byte[0], visitor);
          return null;
        });
  }

  /**
   * Compares all records with the blocks, and mends what differs if that is wanted. May take as
   * long as the store and the disk like. Differences that are only changes under way are none.
   *
   * @return null if this is being closed
   */
  public CheckResult check(boolean repair) throws IOException {
    open();
    awaitWritten();
    return ask(
        store -> new RecordCheck(store, inventory, repair, () -> stopping, done -> {}).run());
  }

  interface Question<T, E extends IOException> {
    T of(MetadataStore store) throws E;
  }

  /** Whoever meets damage has the store set aside and its records made anew. */
  <T, E extends IOException> T ask(Question<T, E> question)
      throws E, StoreUnreachableException, StoreCorruptException {
    MetadataStore store = open();
    try {
      return question.of(store);
    } catch (IOException e) {
      if (e instanceof StoreCorruptException && isOpen(store)) {
        damage.set((StoreCorruptException) e);
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
      throw new StoreUnreachableException(
          "the " + provider.name() + " store for " + directory + " is " + status);
    }
    return current.store();
  }

  private void awaitWritten() throws IOException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(CLOSE_SECONDS);
    try {
      while ((pending() > 0 || status().state() == StoreStatus.State.COMPARING)
          && System.nanoTime() < deadline) {
        Thread.sleep(Math.min(50, settings.flushMillis()));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  /** What the thread does. */
  private final class Keeping implements RepeatingThread.Task {
    private long downSince;
    private long retryMillis = FIRST_RETRY_MILLIS;
    private long reminder;

    @Override
    public void step() {
      long cpu = threadCpu();
      try {
        work();
        if (downSince != 0) {
          LOG.info("The {} store for {} works again", provider.name(), directory);
        }
        downSince = 0;
        retryMillis = FIRST_RETRY_MILLIS;
        status = link.isComplete() ? StoreStatus.inStep() : status;
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
        status = StoreStatus.down(e);
        afterFailure(e);
        listener.onDown(downMillis, e instanceof Exception ? (Exception) e : new IOException(e));
        awaitRetry(retryMillis);
        retryMillis = Math.min(2 * retryMillis, settings.checkMillis());
      } finally {
        counters.cpu(threadCpu() - cpu);
      }
    }

    @Override
    public void end() {
      finish();
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
    closeLink(false);
    if (e instanceof StoreCorruptException) {
      try {
        provider.setAside(context);
        clearWanted = true;
      } catch (IOException | RuntimeException failure) {
        LOG.warn("The damaged store for {} can't be set aside", directory, failure);
      }
    }
  }

  private void work() throws IOException {
    StoreCorruptException met = damage.getAndSet(null);
    if (met != null && link != null) {
      throw met;
    }
    if (link == null) {
      status = StoreStatus.opening();
      link = StoreLink.open(provider, context, volume, directory, files);
    } else {
      link.isInStep();
    }
    if (clearWanted) {
      link.store().clear();
      link.isInStep();
      clearWanted = false;
    }
    if (comparisonWanted || !link.isComplete()) {
      compareAll();
    }
    while (!changed.isEmpty() && !stopping) {
      writeChanges();
    }
  }

  private void compareAll() throws IOException {
    LOG.info("Comparing the records in the {} store with {}", provider.name(), directory);
    counters.rebuild();
    status = StoreStatus.comparing(0);
    comparisonWanted = false;
    boolean done = false;
    try {
      RecordCheck check =
          new RecordCheck(
              link.store(),
              inventory,
              true,
              () -> stopping,
              blocks -> status = StoreStatus.comparing(blocks));
      CheckResult result = check.run();
      // A store that was emptied or put back meanwhile holds only part of what was written.
      if (result != null && link.isInStep()) {
        done = true;
        counters.written(result.missing() + result.wrong());
        counters.deleted(result.extra());
        link.write(new StoreBatch(), true);
        LOG.info(
            "Records of {} blocks in {} are complete: {} were missing, {} wrong, {} of blocks that"
                + " are gone, {} blocks can't be read",
            result.blocks(),
            directory,
            result.missing(),
            result.wrong(),
            result.extra(),
            result.unreadable());
      }
    } finally {
      comparisonWanted |= !done;
    }
  }

  private void writeChanges() throws IOException {
    inWork = Math.min(changed.size(), RecordCheck.BATCH);
    Map<Long, Integer> taken = take();
    boolean written = false;
    try {
      List<byte[]> gone = new ArrayList<>();
      StoreBatch batch = new StoreBatch();
      for (Map.Entry<Long, Integer> change : taken.entrySet()) {
        long blockId = change.getKey();
        try {
          BlockRecord is = inventory.look(blockId, change.getValue());
          if (is == null) {
            gone.add(BlockRecord.key(blockId));
          } else {
            batch.put(Table.BLOCKS, BlockRecord.key(blockId), is.encode());
          }
        } catch (IOException e) {
          LOG.debug("Block {} can't be looked at; its record stays as it is", blockId, e);
        }
      }
      int puts = batch.size();
      // Most blocks that are not here never were, but lie on another volume.
      List<byte[]> known = link.store().get(Table.BLOCKS, gone);
      for (int i = 0; i < gone.size(); i++) {
        if (known.get(i) != null) {
          batch.delete(Table.BLOCKS, gone.get(i));
        }
      }
      if (batch.size() > 0) {
        int deletes = batch.size() - puts;
        link.write(batch, link.isComplete());
        counters.written(puts);
        counters.deleted(deletes);
      }
      written = true;
    } finally {
      if (!written) {
        taken.forEach(changed::putIfAbsent);
      }
      inWork = 0;
    }
  }

  private Map<Long, Integer> take() {
    Map<Long, Integer> taken = new LinkedHashMap<>();
    Iterator<Long> ids = changed.keySet().iterator();
    while (ids.hasNext() && taken.size() < RecordCheck.BATCH) {
      Long id = ids.next();
      taken.put(id, changed.remove(id));
    }
    return taken;
  }

  /** Returns when changes were gathered for a while, or the store was left alone for long. */
  private void awaitChanges() {
    long began = System.nanoTime();
    boolean gathering = false;
    while (!stopping && !comparisonWanted && damage.get() == null) {
      if (!gathering && !changed.isEmpty()) {
        gathering = true;
        began = System.nanoTime();
      }
      long millis = gathering ? settings.flushMillis() : settings.checkMillis();
      // changed() takes no lock and wakes nobody, so it is looked for now and then.
      if (!sleepUntil(began, millis, settings.flushMillis())) {
        return;
      }
    }
  }

  private void awaitRetry(long millis) {
    long began = System.nanoTime();
    while (!stopping && sleepUntil(began, millis, millis)) {
      // Whatever woke the thread, a store that fails is left alone for that time.
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

  private void finish() {
    boolean inStep = false;
    try {
      if (link != null) {
        link.isInStep();
        while (!changed.isEmpty()) {
          writeChanges();
        }
        inStep = !comparisonWanted;
      }
    } catch (IOException | RuntimeException | Error e) {
      LOG.info("Records of {} are caught up at the next start: {}", directory, e.getMessage());
    }
    closeLink(inStep);
    marked = inStep;
    if (marked && !changed.isEmpty()) {
      unmark();
    }
  }

  private void closeLink(boolean inStep) {
    StoreLink closing = link;
    link = null;
    if (closing != null) {
      try {
        closing.close(inStep);
      } catch (IOException | RuntimeException | Error e) {
        LOG.warn("Closing the {} store for {} failed", provider.name(), directory, e);
      }
    }
  }

  private static long threadCpu() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  /** Begins to close, and does not wait for that. */
  public void beginClose() {
    stopping = true;
    thread.stop();
    wake.release();
  }

  /** Writes what is left and closes the store, or leaves it after a few seconds. */
  @Override
  public void close() {
    beginClose();
    if (!thread.join(TimeUnit.SECONDS.toMillis(CLOSE_SECONDS))) {
      LOG.warn("The {} store for {} takes long to close", provider.name(), directory);
    }
  }
}
