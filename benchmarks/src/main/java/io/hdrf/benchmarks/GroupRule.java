/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import io.hdrf.spi.scheme.FrameChain;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Which new chunks are encoded together. For one thread. */
final class GroupRule {

  private final String name;
  private final long packets;
  private final ChunkGroups groups;
  private final ChunkGroups rest;
  private long present = -1;

  private GroupRule(String name, long packets, ChunkGroups groups, ChunkGroups rest) {
    this.name = name;
    this.packets = packets;
    this.groups = groups;
    this.rest = rest;
  }

  /** Groups that are filled, wherever their chunks come from. */
  static GroupRule filled(String name, FrameChain chain, int size, int longestChunk) {
    return new GroupRule(name, 0, new ChunkGroups(chain, size, longestChunk), null);
  }

  /**
   * Groups that end with the packets that their chunks came with. A chunk that begins with earlier
   * ones goes to groups that are filled.
   *
   * @param packets bytes of the packets that go together
   * @param size of the other groups, in bytes
   */
  static GroupRule sent(String name, FrameChain chain, int packets, int size, int longestChunk) {
    return new GroupRule(
        name,
        packets,
        new ChunkGroups(chain, packets, longestChunk),
        new ChunkGroups(chain, size, longestChunk));
  }

  String name() {
    return name;
  }

  /**
   * Takes a new chunk, which is consumed.
   *
   * @param offset where it begins in the file
   */
  void add(long offset, ByteBuffer chunk) throws IOException {
    if (packets == 0) {
      groups.add(chunk);
      return;
    }
    long first = offset / packets;
    if (first != (offset + chunk.remaining() - 1) / packets) {
      rest.add(chunk);
      return;
    }
    if (first != present) {
      groups.end();
      present = first;
    }
    groups.add(chunk);
  }

  /** A file has ended. */
  void end() throws IOException {
    present = -1;
    groups.end();
    if (rest != null) {
      rest.end();
    }
  }

  /** What all chunks take as encoded, in bytes. */
  long storedBytes() {
    return groups.storedBytes() + (rest == null ? 0 : rest.storedBytes());
  }

  /** How many groups there are. */
  int count() {
    return groups.count() + (rest == null ? 0 : rest.count());
  }

  /** Of the bytes of the chunks, the share whose groups a receiver could store as they came. */
  double adopted() {
    return rest == null
        ? 0
        : (double) groups.originalBytes() / (groups.originalBytes() + rest.originalBytes());
  }
}
