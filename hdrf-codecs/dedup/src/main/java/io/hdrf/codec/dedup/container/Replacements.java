/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.codec.dedup.container.format.Fingerprinter;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

/**
 * Chunks of one container as they were found elsewhere, in memory. Each has the fingerprint that
 * the container's directory has for it: whoever had the bytes is not believed. For one thread.
 */
public final class Replacements {

  /** None for any chunk. */
  public static final Replacements NONE = new Replacements(null, 0);

  private final Fingerprinter fingerprinter;
  private final long maxBytes;
  private final Map<Integer, byte[]> chunks = new HashMap<>();
  private long bytes;

  /**
   * @param maxBytes how many bytes are kept at most
   */
  Replacements(Fingerprinter fingerprinter, long maxBytes) {
    this.fingerprinter = fingerprinter;
    this.maxBytes = maxBytes;
  }

  /** Returns whether so many more bytes may be kept. */
  public boolean hasRoomFor(long more) {
    return bytes + more <= maxBytes;
  }

  /**
   * Keeps a copy of a chunk's bytes, if they are what its fingerprint says.
   *
   * @param index of the chunk in {@code content}
   * @param chunk direct, from position to limit; not consumed
   * @return whether there are right bytes of the chunk now
   */
  public boolean offer(ContainerDirectory content, int index, ByteBuffer chunk) {
    int length = content.length(index);
    if (chunk.remaining() != length || !hasRoomFor(length)) {
      return false;
    }
    byte[] fingerprint = new byte[Fingerprinter.LENGTH];
    fingerprinter.fingerprint(chunk.duplicate(), fingerprint, 0);
    if (!content.hasFingerprint(index, fingerprint, 0)) {
      return false;
    }
    byte[] copy = new byte[length];
    chunk.duplicate().get(copy);
    if (chunks.put(content.number(index), copy) == null) {
      bytes += length;
    }
    return true;
  }

  /** Forgets a chunk. */
  public void remove(int number) {
    byte[] removed = chunks.remove(number);
    bytes -= removed == null ? 0 : removed.length;
  }

  public boolean has(int number) {
    return chunks.containsKey(number);
  }

  public boolean isEmpty() {
    return chunks.isEmpty();
  }

  /** The bytes of a chunk, or null. */
  ByteBuffer get(int number) {
    byte[] found = chunks.get(number);
    return found == null ? null : ByteBuffer.wrap(found);
  }
}
