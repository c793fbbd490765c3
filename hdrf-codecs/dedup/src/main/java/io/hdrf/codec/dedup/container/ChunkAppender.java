/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.container.format.ContainerFormat;
import io.hdrf.codec.dedup.container.format.Fingerprinter;
import io.hdrf.spi.scheme.FrameChain;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Adds chunks to a store. For one thread at a time. It has a container for itself, and takes
 * another when that one is full.
 *
 * <p>After an exception from any method, the chunks that were appended since the last {@link
 * #flush} are lost, and their references name nothing, now and ever; the appender can be used on.
 */
public final class ChunkAppender implements Closeable {

  private final OpenContainers containers;
  private final int[] chainIds;
  private final int groupSize;
  private final GroupBuffer group;

  /** Containers that were written to since they were forced last. */
  private final List<OpenContainer> unforced = new ArrayList<>();

  private OpenContainer open;
  private boolean closed;

  ChunkAppender(OpenContainers containers, FrameChain tail, int groupSize) {
    this.containers = containers;
    this.chainIds = tail.ids();
    this.groupSize = groupSize;
    this.group = new GroupBuffer(tail, groupSize);
  }

  /**
   * Adds a chunk. It can be read as soon as its group is complete, which {@link #flush} makes sure
   * of, and is durable only after {@link #force}.
   *
   * @param fingerprints where the chunk's fingerprint stands, {@link Fingerprinter#LENGTH} bytes
   *     from {@code offset} on
   * @param chunk 1 byte to {@link ContainerFormat#MAX_CHUNK_LENGTH} from position to limit, which
   *     are consumed
   * @return the chunk's reference, see {@link ChunkRef}
   */
  public long append(byte[] fingerprints, int offset, ByteBuffer chunk) throws IOException {
    requireOpen();
    int length = chunk.remaining();
    if (length < 1 || length > ContainerFormat.MAX_CHUNK_LENGTH) {
      throw new IllegalArgumentException("a chunk of " + length + " bytes");
    }
    requireFingerprint(fingerprints, offset);
    int number = takeNumber(length, length);
    group.add(number, fingerprints, offset, chunk);
    return ChunkRef.pack(open.container().id(), number);
  }

  /**
   * Adds a chunk as a difference to another one, its base. The caller makes sure that whoever comes
   * to refer to the chunk refers to the base, too: from then on the store treats both alike.
   *
   * @param fingerprints where the fingerprint of the chunk itself stands, as in {@link #append}
   * @param difference as {@link DifferenceFormat#put} writes it, from position to limit, which are
   *     consumed; shorter than the chunk
   * @param length of the chunk itself, in bytes
   * @param base reference of a chunk of this store that is no difference, and that can be read
   * @return the chunk's reference, see {@link ChunkRef}
   */
  public long appendDifference(
      byte[] fingerprints, int offset, ByteBuffer difference, int length, long base)
      throws IOException {
    requireOpen();
    int kept = difference.remaining();
    if (kept < 1 || kept >= length || length > ContainerFormat.MAX_CHUNK_LENGTH) {
      throw new IllegalArgumentException(
          "a difference of " + kept + " bytes for a chunk of " + length);
    }
    requireFingerprint(fingerprints, offset);
    // With another one the whole group would be refused by its readers.
    if (base < 0 || ChunkRef.number(base) >= ContainerFormat.MAX_CHUNKS) {
      throw new IllegalArgumentException("a difference to chunk " + ChunkRef.toString(base));
    }
    int number = takeNumber(kept, length);
    group.addDifference(number, fingerprints, offset, difference, length, base);
    return ChunkRef.pack(open.container().id(), number);
  }

  /** Before anything of the chunk is in the group, where it would stay. */
  private static void requireFingerprint(byte[] fingerprints, int offset) {
    if (offset < 0 || offset > fingerprints.length - Fingerprinter.LENGTH) {
      throw new IndexOutOfBoundsException(
          "fingerprint at " + offset + " of " + fingerprints.length + " bytes");
    }
  }

  /** Takes the number of a chunk that the group has room for. */
  private int takeNumber(int kept, int length) throws IOException {
    if (!group.hasRoomFor(kept, length) || (!group.isEmpty() && !open.hasNumber())) {
      flush();
    }
    if (group.isEmpty()) {
      prepare(Math.max(kept, groupSize));
    }
    return open.takeNumber();
  }

  /** Makes sure that there is a container with room for a group. */
  private void prepare(int groupBytes) throws IOException {
    while (open == null || open.container().open() == null || !open.hasRoomFor(groupBytes)) {
      if (open == null || open.container().open() == null) {
        open = containers.take(chainIds, this);
      } else {
        OpenContainer full = open;
        open = null;
        boolean sealed = false;
        try {
          full.seal();
          sealed = true;
        } finally {
          if (!sealed) {
            containers.giveBack(full);
          }
        }
      }
    }
  }

  /** Ends the current group: all chunks so far can be read. */
  public void flush() throws IOException {
    requireOpen();
    if (group.isEmpty()) {
      return;
    }
    boolean written = false;
    try {
      group.encode(open.header().marker());
      if (!unforced.contains(open)) {
        unforced.add(open);
      }
      open.write(group);
      written = true;
    } finally {
      try {
        group.clear();
      } finally {
        if (!written) {
          OpenContainer failed = open;
          open = null;
          containers.giveBack(failed);
        }
      }
    }
  }

  /**
   * Ends the current group and makes all chunks so far durable. If this fails, the chunks since the
   * last success must not be referred to, and further calls may fail as well until another appender
   * is taken.
   */
  public void force() throws IOException {
    flush();
    for (OpenContainer container : unforced) {
      container.force();
    }
    unforced.clear();
  }

  /**
   * Ends the current group and gives the container back, for another appender to go on with. Who
   * tells others of the chunks has done so: see {@link ContainerStore#lastSettled}.
   */
  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    try {
      flush();
    } finally {
      closed = true;
      try {
        group.close();
      } finally {
        OpenContainer last = open;
        open = null;
        try {
          if (last != null) {
            containers.giveBack(last);
          }
        } finally {
          containers.closed(this);
        }
      }
    }
  }

  private void requireOpen() throws IOException {
    if (closed) {
      throw new IOException("the appender is closed");
    }
  }
}
