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
import io.hdrf.spi.store.StoreUnreachableException;
import io.hdrf.spi.store.Table;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An open store and the proof that it is still this volume's and still in step: see {@link
 * StoreIdentity}. All changes of records go through {@link #write}, which checks that proof first:
 * so the next batch notices a store that went back to an earlier state, and no batch hides it. For
 * one thread, except {@link #store}.
 */
final class StoreLink implements Closeable {

  private static final Logger LOG = LoggerFactory.getLogger(StoreLink.class);

  /** The number of missed heartbeats after which a user counts as gone. */
  private static final int SILENT_BEATS = 5;

  private static final long POLL_MILLIS = 500;

  private final MetadataStore store;
  private final String name;
  private final Path directory;
  private final DurableFiles files;
  private final byte[] session;
  private final StoreOwner owner;

  /** The identities of the last two batches, which the store must hold. */
  private Identities held;

  /** Identities that the store may hold instead, because a failed batch may have been written. */
  private Identities unsure;

  private int losses;
  private long writtenNanos;

  /** The two identities of a store; either may be null. */
  private static final class Identities {
    private final StoreIdentity last;
    private final StoreIdentity before;

    Identities(StoreIdentity last, StoreIdentity before) {
      this.last = last;
      this.before = before;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Identities
          && Objects.equals(last, ((Identities) other).last)
          && Objects.equals(before, ((Identities) other).before);
    }

    @Override
    public int hashCode() {
      return Objects.hash(last, before);
    }
  }

  private StoreLink(
      MetadataStore store,
      String name,
      Path directory,
      DurableFiles files,
      byte[] session,
      StoreOwner owner) {
    this.store = store;
    this.name = name;
    this.directory = directory;
    this.files = files;
    this.session = session;
    this.owner = owner;
  }

  /**
   * Opens a store and takes it over. If its last user did not close it and lies elsewhere, waits
   * until that user is certainly gone.
   *
   * @param volume the volume's id, {@link StoreIdentity#ID_LENGTH} bytes
   * @param directory for the volume's {@link StoreCheckpoint}
   * @param known the mark that was taken off the volume; null if none was
   * @param beatMillis the longest time between two calls of {@link #beat} or {@link #write}
   * @param wary whether another user of the store was seen, even one that seems to lie here
   * @param clear whether a store of this volume with a damaged identity is emptied
   * @throws StoreForeignException if it is another volume's, or a copy of this one uses it
   */
  static StoreLink open(
      MetadataStoreProvider provider,
      StoreContext context,
      byte[] volume,
      Path directory,
      DurableFiles files,
      StoreCheckpoint known,
      long beatMillis,
      boolean wary,
      boolean clear,
      BooleanSupplier stopping)
      throws IOException {
    byte[] session = new byte[StoreIdentity.ID_LENGTH];
    new SecureRandom().nextBytes(session);
    StoreOwner owner = StoreOwner.here(directory, beatMillis);
    MetadataStore store = provider.open(context);
    boolean opened = false;
    try {
      StoreLink link = new StoreLink(store, provider.name(), directory, files, session, owner);
      if (clear) {
        link.clearIfDamaged(volume);
      }
      link.takeOver(volume, known, wary, stopping);
      opened = true;
      return link;
    } finally {
      if (!opened) {
        store.close();
      }
    }
  }

  private void takeOver(
      byte[] volume, StoreCheckpoint known, boolean wary, BooleanSupplier stopping)
      throws IOException {
    // Of an attempt that failed after this process had taken the mark off, if it is later.
    StoreCheckpoint saved = StoreCheckpoint.load(directory);
    StoreCheckpoint mark = known != null && known.sequence() > saved.sequence() ? known : saved;
    StoreIdentity first = own(read().last, volume);
    StoreIdentity found = first == null ? null : awaitSilence(first, volume, wary, stopping);
    boolean trusted = found != null && mark.vouchesFor(name, found) && store.mayForget() == null;
    if (found != null && !trusted && found.sequence() < mark.sequence()) {
      LOG.warn(
          "The {} store for {} was put back from an older copy (batch {}, last written {});"
              + " its records are compared with the blocks",
          name,
          directory,
          found.sequence(),
          mark.sequence());
    }
    long last = Math.max(mark.sequence(), first == null ? 0 : first.sequence());
    StoreIdentity begin = new StoreIdentity(volume, session, last, trusted);
    new StoreCheckpoint(name, last + (trusted ? 1 : 2), false).save(directory, files);
    if (trusted) {
      // The identity that is trusted stays, and shows whether the store went back since it was
      // read.
      write(ownerBatch(), new Identities(begin.next(true), found), false);
      begin = held.last;
      trusted = read().equals(held);
    }
    if (!trusted) {
      held = new Identities(begin, null);
      fence(ownerBatch(), begin, false);
    }
  }

  private StoreBatch ownerBatch() {
    return new StoreBatch().put(Table.STATE, StoreOwner.key(), owner.encode());
  }

  /**
   * Empties a store without an identity that can be read, unless its other entries tell that it may
   * be another's.
   */
  private void clearIfDamaged(byte[] volume) throws IOException {
    try {
      read();
      return;
    } catch (StoreCorruptException e) {
      requireOwn(store, prefix(), volume, true);
      byte[] user = ownerEntry();
      if (user != null && !StoreOwner.decode(user).isAt(owner)) {
        throw e;
      }
      LOG.warn("{}; {} is emptied and filled again", e.getMessage(), prefix());
    }
    store.clear();
  }

  private byte[] ownerEntry() throws MetadataException {
    return store.get(Table.STATE, Collections.singletonList(StoreOwner.key())).get(0);
  }

  /**
   * Checks both identities of a store.
   *
   * @param prefix names the store
   * @param orDamaged whether one that is damaged counts as none
   * @throws StoreForeignException if one is another volume's
   */
  static void requireOwn(MetadataStore store, String prefix, byte[] volume, boolean orDamaged)
      throws MetadataException {
    for (byte[] value : identities(store)) {
      try {
        own(decode(value), prefix, volume);
      } catch (StoreCorruptException e) {
        if (!orDamaged) {
          throw e;
        }
      }
    }
  }

  private String prefix() {
    return "the " + name + " store for " + directory;
  }

  private StoreIdentity own(StoreIdentity found, byte[] volume) throws StoreForeignException {
    return own(found, prefix(), volume);
  }

  private static StoreIdentity own(StoreIdentity found, String prefix, byte[] volume)
      throws StoreForeignException {
    if (found != null && !found.isOfVolume(volume)) {
      throw new StoreForeignException(
          prefix
              + " belongs to another volume; empty it, or give each DataNode a store of its own");
    }
    return found;
  }

  /**
   * Waits until the store's user is this storage, or gone. Writes nothing. Only a rising sequence
   * is a sign of life: a user whose store goes back continues with numbers above all that it wrote;
   * without such a user the store itself went back, as at a fail-over.
   *
   * @return the identity that the store holds then, or null
   */
  private StoreIdentity awaitSilence(
      StoreIdentity first, byte[] volume, boolean wary, BooleanSupplier stopping)
      throws IOException {
    byte[] value = ownerEntry();
    StoreOwner other = value == null ? null : StoreOwner.decode(value);
    if (other == null || (!wary && other.isAt(owner))) {
      return first;
    }
    LOG.info("The {} store for {} was last used by {} and not closed", name, directory, other);
    long patience = TimeUnit.MILLISECONDS.toNanos(SILENT_BEATS * other.beatMillis());
    StoreIdentity seen = first;
    long begun = System.nanoTime();
    do {
      try {
        Thread.sleep(Math.min(POLL_MILLIS, other.beatMillis()));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new StoreUnreachableException(prefix() + ": interrupted", e);
      }
      if (stopping.getAsBoolean()) {
        throw new StoreUnreachableException(prefix() + " is not opened any more");
      }
      StoreIdentity now = own(read().last, volume);
      if (now != null && now.sequence() > first.sequence()) {
        throw new StoreForeignException(
            prefix()
                + " is used by a storage with the same identity, "
                + other
                + ": one is a copy of the other; give each DataNode a store of its own");
      }
      if (!Objects.equals(now, seen)) {
        seen = now;
        begun = System.nanoTime();
      }
    } while (System.nanoTime() - begun < patience);
    return seen;
  }

  private static List<byte[]> identities(MetadataStore store) throws MetadataException {
    return store.get(Table.STATE, Arrays.asList(StoreIdentity.key(0), StoreIdentity.key(1)));
  }

  private Identities read() throws MetadataException {
    List<byte[]> values = identities(store);
    StoreIdentity even = decode(values.get(0));
    StoreIdentity odd = decode(values.get(1));
    boolean evenIsLast = odd == null || (even != null && even.sequence() > odd.sequence());
    return evenIsLast ? new Identities(even, odd) : new Identities(odd, even);
  }

  private static StoreIdentity decode(byte[] value) throws MetadataException {
    return value == null ? null : StoreIdentity.decode(value);
  }

  MetadataStore store() {
    return store;
  }

  /** Returns whether every block had its record after the last batch. */
  boolean isComplete() {
    return held.last.isComplete();
  }

  /** Returns how often the store was found to have lost written data. */
  int losses() {
    return losses;
  }

  /**
   * Checks that the store still holds all written data. What is unsure after a failed batch is
   * written again, so that it is known then; a loss counts in {@link #losses}.
   *
   * @return false if it lost some; {@link #isComplete} is false from then on
   * @throws StoreForeignException if another process writes to it
   */
  boolean checkInStep() throws IOException {
    Identities found = read();
    if (found.equals(held)) {
      if (unsure != null) {
        fence(new StoreBatch(), held.last, held.last.isComplete());
      }
      return true;
    }
    if (unsure != null && found.equals(unsure)) {
      // A batch that seemed to fail was written nevertheless; its changes are written again.
      held = found;
      fence(new StoreBatch(), held.last, held.last.isComplete());
      return true;
    }
    if (found.last != null
        && !found.last.isOfSession(session)
        && found.last.sequence() > held.last.sequence()) {
      throw new StoreForeignException(
          prefix() + " is written by another DataNode too; give each DataNode a store of its own");
    }
    LOG.warn(
        "The {} store for {} {}; its records are compared with the blocks",
        name,
        directory,
        found.last == null ? "was emptied" : "went back to an earlier state");
    losses++;
    fence(ownerBatch(), held.last, false);
    return false;
  }

  /**
   * Writes both identities with numbers that no batch has had: so a batch that seemed to fail, and
   * that the server executes later, is noticed.
   */
  private void fence(StoreBatch batch, StoreIdentity from, boolean complete)
      throws MetadataException {
    long beyond = unsure == null ? 1 : 3;
    write(
        batch,
        new Identities(from.after(beyond + 1, complete), from.after(beyond, complete)),
        true);
  }

  /**
   * Writes changes together with the next identity, after checking that all earlier ones are there.
   *
   * @param complete whether every block has its record then; false is written if earlier data are
   *     lost
   */
  void write(StoreBatch batch, boolean complete) throws IOException {
    boolean inStep = checkInStep();
    write(batch, new Identities(held.last.next(complete && inStep), held.last), false);
  }

  private void write(StoreBatch batch, Identities next, boolean both) throws MetadataException {
    batch.put(Table.STATE, StoreIdentity.key(next.last.sequence()), next.last.encode());
    if (both) {
      batch.put(Table.STATE, StoreIdentity.key(next.before.sequence()), next.before.encode());
    }
    unsure = next;
    store.write(batch);
    held = next;
    unsure = null;
    writtenNanos = System.nanoTime();
  }

  /** Advances the identity if it did not change for some time, as a sign of life to others. */
  void beat() throws IOException {
    long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - writtenNanos);
    if (2 * millis >= owner.beatMillis()) {
      write(new StoreBatch(), isComplete());
    }
  }

  /**
   * Writes the last batch to a store in step, by which its user leaves it.
   *
   * @return the mark that vouches for it; null if records turned out to be lost
   */
  StoreCheckpoint finish() throws IOException {
    write(new StoreBatch().delete(Table.STATE, StoreOwner.key()), isComplete());
    return isComplete() ? new StoreCheckpoint(name, held.last.sequence(), true) : null;
  }

  @Override
  public void close() throws IOException {
    store.close();
  }
}
