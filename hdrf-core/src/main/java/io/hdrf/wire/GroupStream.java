/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

import io.hdrf.block.BlockRef;
import io.hdrf.scheme.SchemeChain;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The connection on which one DataNode offers another the groups that its store has encoded for a
 * block that both have, behind a preamble of the kind {@link WireFormat#OFFER}; {@code
 * docs/formats.md} ("Groups for another DataNode") has its records. The other one waits with the
 * block as long as the connection is open. For one thread.
 */
public final class GroupStream extends ProvedStream {

  private static final int FIXED = 8 + 8 + 8 + 1;

  /** Reads and writes behind the preamble; closes neither stream. */
  public GroupStream(InputStream in, OutputStream out) {
    super(in, out);
  }

  /** The block whose groups are offered, and how they are encoded. Immutable. */
  public static final class Offer {
    private final BlockRef block;
    private final long generationStamp;
    private final long dialect;
    private final int[] chainIds;

    /**
     * @param dialect in which the store cuts and names chunks
     * @param chainIds of the schemes that the block is reduced with
     */
    public Offer(BlockRef block, long generationStamp, long dialect, int[] chainIds) {
      this.block = block;
      this.generationStamp = generationStamp;
      this.dialect = dialect;
      this.chainIds = chainIds.clone();
    }

    public BlockRef block() {
      return block;
    }

    public long generationStamp() {
      return generationStamp;
    }

    public long dialect() {
      return dialect;
    }

    /** Returns whether the block is reduced with the schemes of these ids. */
    public boolean hasChain(int[] ids) {
      return Arrays.equals(chainIds, ids);
    }
  }

  /** Names the block. */
  public void offer(Offer offer) throws IOException {
    byte[] pool = offer.block.poolId().getBytes(StandardCharsets.UTF_8);
    ByteBuffer body = body(FIXED + 2 * offer.chainIds.length + pool.length);
    body.putLong(offer.block.blockId()).putLong(offer.generationStamp).putLong(offer.dialect);
    body.put((byte) offer.chainIds.length);
    for (int id : offer.chainIds) {
      body.putShort((short) id);
    }
    send(WireFormat.OFFERED, body.put(pool));
  }

  /**
   * Reads an offer.
   *
   * @throws CorruptWireException if it is damaged, or something else
   */
  public Offer readOffer() throws IOException {
    ByteBuffer body = required(next(WireFormat.OFFERED, WireFormat.OFFERED));
    if (body.remaining() < FIXED) {
      throw new CorruptWireException("an offer of " + body.remaining() + " bytes");
    }
    long blockId = body.getLong();
    long generationStamp = body.getLong();
    long dialect = body.getLong();
    int schemes = body.get() & 0xFF;
    if (schemes > SchemeChain.MAX_LENGTH || body.remaining() < 2 * schemes) {
      throw new CorruptWireException("an offer with " + schemes + " schemes");
    }
    int[] ids = new int[schemes];
    for (int i = 0; i < schemes; i++) {
      ids[i] = body.getShort() & 0xFFFF;
    }
    byte[] pool = take(body, body.remaining(), "a block pool's id");
    return new Offer(
        new BlockRef(new String(pool, StandardCharsets.UTF_8), blockId),
        generationStamp,
        dialect,
        ids);
  }

  /** Accepts an offer. */
  public void accept() throws IOException {
    grant(new byte[WireFormat.SESSION_ID]);
  }

  /** Adds the names of a group to what {@link #flush} sends. */
  public void names(ByteBuffer names) throws IOException {
    record(WireFormat.NAMES, names);
  }

  /** Adds whether the group that was named next is wanted to what {@link #flush} sends. */
  public void answer(boolean wanted) throws IOException {
    add(WireFormat.WANTED, body(1).put((byte) (wanted ? 1 : 0)));
  }

  /** Reads an answer. */
  public boolean readAnswer() throws IOException {
    ByteBuffer body = required(next(WireFormat.WANTED, WireFormat.WANTED));
    int answer = body.remaining() == 1 ? body.get() : -1;
    if (answer != 0 && answer != 1) {
      throw new CorruptWireException("an answer that is neither yes nor no");
    }
    return answer == 1;
  }

  /** Adds a group that is wanted to what {@link #flush} sends. */
  public void group(ByteBuffer content) throws IOException {
    record(WireFormat.GROUP, content);
  }

  /** Reads the names of a group; null at the end of the stream. */
  public ByteBuffer readNames() throws IOException {
    return next(WireFormat.NAMES, WireFormat.NAMES);
  }

  /**
   * Reads the names of a group, or a group.
   *
   * @return the body, direct, until the next call; null at the end of the stream
   */
  public ByteBuffer readNamesOrGroup() throws IOException {
    return next(WireFormat.NAMES, WireFormat.GROUP);
  }

  /** Returns whether what was read last is a group. */
  public boolean isGroup() {
    return type() == WireFormat.GROUP;
  }
}
