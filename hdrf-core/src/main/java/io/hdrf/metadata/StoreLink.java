/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.metadata;

import io.hdrf.io.DurableFiles;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Collections;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An open store and the proof that it is still this volume's and still in step: see {@link
 * StoreIdentity}. For one thread, but for {@link #store}.
 */
final class StoreLink implements Closeable {

  private static final Logger LOG = LoggerFactory.getLogger(StoreLink.class);

  private final MetadataStore store;
  private final String name;
  private final Path directory;
  private final DurableFiles files;
  private final byte[] session;
  private StoreIdentity identity;

  private StoreLink(
      MetadataStore store, String name, Path directory, DurableFiles files, byte[] session) {
    this.store = store;
    this.name = name;
    this.directory = directory;
    this.files = files;
    this.session = session;
  }

  /**
   * Opens a store and takes it over.
   *
   * @param volume names the volume, {@link StoreIdentity#ID_LENGTH} bytes
   * @param directory for the volume's {@link StoreMark}
   * @throws StoreForeignException if it is another volume's
   */
  static StoreLink open(
      MetadataStoreProvider provider,
      StoreContext context,
      byte[] volume,
      Path directory,
      DurableFiles files)
      throws IOException {
    byte[] session = new byte[StoreIdentity.ID_LENGTH];
    new SecureRandom().nextBytes(session);
    MetadataStore store = provider.open(context);
    boolean opened = false;
    try {
      StoreLink link = new StoreLink(store, provider.name(), directory, files, session);
      link.takeOver(volume);
      opened = true;
      return link;
    } finally {
      if (!opened) {
        store.close();
      }
    }
  }

  private void takeOver(byte[] volume) throws IOException {
    StoreMark mark = StoreMark.load(directory);
    StoreIdentity found = read();
    if (found != null && !found.isOfVolume(volume)) {
      throw new StoreForeignException(
          "the "
              + name
              + " store for "
              + directory
              + " belongs to another volume; empty it, or give each DataNode a store of its own");
    }
    boolean trusted = found != null && mark.vouchesFor(name, found);
    if (found != null && !trusted && found.sequence() < mark.sequence()) {
      LOG.warn(
          "The {} store for {} was put back from an older copy (batch {}, last written {});"
              + " its records are compared with the blocks",
          name,
          directory,
          found.sequence(),
          mark.sequence());
    }
    long last = Math.max(mark.sequence(), found == null ? 0 : found.sequence());
    identity = new StoreIdentity(volume, session, last + 1, trusted);
    new StoreMark(name, identity.sequence(), false).save(directory, files);
    store.write(
        new StoreBatch().put(Table.STATE, StoreIdentity.key(), identity.encode()),
        Durability.PROCESS);
  }

  private StoreIdentity read() throws MetadataException {
    byte[] value = store.get(Table.STATE, Collections.singletonList(StoreIdentity.key())).get(0);
    return value == null ? null : StoreIdentity.decode(value);
  }

  MetadataStore store() {
    return store;
  }

  /** Whether every block had its record after the last batch. */
  boolean isComplete() {
    return identity.isComplete();
  }

  /**
   * Finds out whether the store still holds what was written to it.
   *
   * @return false if it lost some of it; {@link #isComplete} is false from then on
   * @throws StoreForeignException if another process writes to it
   */
  boolean isInStep() throws IOException {
    StoreIdentity found = read();
    if (found != null && Arrays.equals(found.encode(), identity.encode())) {
      return true;
    }
    if (found != null && found.isOfSession(session) && found.sequence() > identity.sequence()) {
      // A batch that seemed to fail was written all the same; its changes are written again.
      identity = found;
      return true;
    }
    if (found != null && !found.isOfSession(session) && found.sequence() > identity.sequence()) {
      throw new StoreForeignException(
          "the "
              + name
              + " store for "
              + directory
              + " is written by another DataNode too; give each DataNode a store of its own and"
              + " restart this one");
    }
    LOG.warn(
        "The {} store for {} {}; its records are compared with the blocks",
        name,
        directory,
        found == null ? "was emptied" : "was put back from an older copy");
    write(new StoreBatch(), false);
    return false;
  }

  /** Writes changes together with the next identity. */
  void write(StoreBatch batch, boolean complete) throws MetadataException {
    StoreIdentity next = identity.next(complete);
    batch.put(Table.STATE, StoreIdentity.key(), next.encode());
    store.write(batch, Durability.PROCESS);
    identity = next;
  }

  /**
   * Closes the store.
   *
   * @param inStep whether every change was written
   */
  void close(boolean inStep) throws IOException {
    try {
      if (inStep && identity.isComplete()) {
        new StoreMark(name, identity.sequence(), true).save(directory, files);
      }
    } finally {
      close();
    }
  }

  @Override
  public void close() throws IOException {
    store.close();
  }
}
