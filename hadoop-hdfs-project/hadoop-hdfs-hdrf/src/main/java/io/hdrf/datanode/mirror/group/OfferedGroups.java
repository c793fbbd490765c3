/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror.group;

import io.hdrf.datanode.mirror.query.BlockKeyProofs;
import io.hdrf.datanode.mirror.query.Introductions;
import io.hdrf.jni.NativeThreads;
import io.hdrf.spi.scheme.GroupExport;
import io.hdrf.spi.scheme.GroupImport;
import io.hdrf.wire.GroupStream;
import io.hdrf.wire.Timer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.hdfs.net.Peer;
import org.apache.hadoop.hdfs.protocol.datatransfer.IOStreamPair;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes the groups that other DataNodes offer; see {@link GroupOffers}. Thread-safe. */
public final class OfferedGroups {

  private static final Logger LOG = LoggerFactory.getLogger(OfferedGroups.class);

  /** More than the other side lets its block wait to be reduced. */
  private static final int TIMEOUT_MILLIS = (int) TimeUnit.MINUTES.toMillis(3);

  /** The longest pause of the other side between groups. */
  private static final int PAUSE_MILLIS = (int) TimeUnit.SECONDS.toMillis(10);

  /** The longest time for all groups of a block: others wait for their turn. */
  private static final long TRANSFER_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final Introductions introductions;
  private final GroupStores stores;
  private final GroupOffers offers;
  private final Timer timer;
  private final int nice;

  /**
   * @param offers learns of the groups that came: the next DataNode may need them
   * @param timer ends transfers that take too long
   * @param nice the nice value of the threads that decode groups
   */
  public OfferedGroups(
      Introductions introductions, GroupStores stores, GroupOffers offers, Timer timer, int nice) {
    this.timer = timer;
    this.offers = offers;
    this.introductions = introductions;
    this.stores = stores;
    this.nice = nice;
  }

  /**
   * Hears an offer, and takes the groups; the connection carries nothing else, and its thread ends
   * with it.
   *
   * @param streams behind the preamble
   * @param name the other side's, for messages
   */
  public void answer(Peer peer, IOStreamPair streams, String name) throws IOException {
    introductions.hear(
        peer,
        name,
        TIMEOUT_MILLIS,
        proved -> {
          try (GroupStream stream = new GroupStream(streams.in, streams.out)) {
            GroupStream.Offer offer = stream.readOffer();
            String address = BlockKeyProofs.address(peer.getLocalAddressString());
            if (introductions.isProved(stream, offer.block().poolId(), address, name)) {
              proved.run();
              take(peer, stream, offer, address);
            } else {
              stream.refuse();
            }
          } catch (IOException e) {
            LOG.debug("{} offers no more", name, e);
          }
        });
  }

  private void take(Peer peer, GroupStream stream, GroupStream.Offer offer, String address)
      throws IOException {
    try (GroupStores.Awaited awaited = stores.await(offer)) {
      if (awaited == null) {
        stream.refuse();
        return;
      }
      stream.accept();
      introductions.proveToTake(stream, offer.block().poolId(), address);
      ByteBuffer first = stream.readNames();
      if (first == null) {
        return;
      }
      NativeThreads.setNice(nice);
      GroupExport added = null;
      AtomicBoolean done = new AtomicBoolean();
      try (GroupStores.Incoming incoming = awaited.begin()) {
        if (incoming != null) {
          peer.setReadTimeout(PAUSE_MILLIS);
          timer.after(TRANSFER_NANOS, () -> closeUnless(done, peer));
          added = takeAll(first, stream, incoming.groups());
        }
      } finally {
        done.set(true);
      }
      offers.received(offer.block(), added);
    }
  }

  private static void closeUnless(AtomicBoolean done, Peer peer) {
    try {
      if (!done.get()) {
        peer.close();
      }
    } catch (IOException e) {
      LOG.debug("{} can't be closed", peer, e);
    }
  }

  /** What comes before a failure is as good as all. */
  private static GroupExport takeAll(ByteBuffer first, GroupStream stream, GroupImport groups)
      throws IOException {
    try {
      for (ByteBuffer next = first; next != null; next = stream.readNamesOrGroup()) {
        if (stream.isGroup()) {
          groups.add(next);
        } else {
          stream.answer(groups.wants(next));
        }
        if (!stream.hasNext()) {
          stream.flush();
        }
      }
    } catch (IOException e) {
      LOG.debug("No more groups come", e);
    }
    return groups.finish();
  }
}
