/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror.group;

import io.hdrf.datanode.mirror.query.BlockKeyProofs;
import io.hdrf.datanode.mirror.query.Introductions;
import io.hdrf.jni.NativeThreads;
import io.hdrf.spi.scheme.GroupImport;
import io.hdrf.wire.GroupStream;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
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

  private final Introductions introductions;
  private final GroupStores stores;
  private final GroupOffers offers;
  private final int nice;

  /**
   * @param offers learns of the groups that came: the next DataNode may need them
   * @param nice the nice value of the threads that decode groups
   */
  public OfferedGroups(
      Introductions introductions, GroupStores stores, GroupOffers offers, int nice) {
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
      stream.accept(introductions.accept(offer.block().poolId(), offer.challenge(), address));
      ByteBuffer first = stream.readNamesOrGroup();
      if (first == null) {
        return;
      }
      peer.setReadTimeout(PAUSE_MILLIS);
      NativeThreads.setNice(nice);
      try (Closeable turn = awaited.turn()) {
        takeAll(first, stream, awaited.groups());
      } finally {
        offers.received(offer.block(), awaited.groups().added());
      }
    }
  }

  private static void takeAll(ByteBuffer first, GroupStream stream, GroupImport groups)
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
    } finally {
      // What came before the connection broke is as good.
      groups.finish();
    }
  }
}
