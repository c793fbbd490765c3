/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import io.hdrf.jni.Chunker;
import io.hdrf.jni.Sha256;
import io.hdrf.spi.scheme.ChunkFunction;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** The store's own chunker and fingerprints, for questions to other stores. Thread-safe. */
final class DedupChunks implements ChunkFunction {

  private final Chunker chunker;
  private final long dialect;

  DedupChunks(Chunker chunker) {
    this.chunker = chunker;
    this.dialect = dialect("dedup, " + chunker + ", sha256");
  }

  private static long dialect(String name) {
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    byte[] digest = new byte[Sha256.LENGTH];
    Sha256.hash(ByteBuffer.wrap(bytes), new int[] {bytes.length}, 1, digest);
    return ByteBuffer.wrap(digest).order(ByteOrder.LITTLE_ENDIAN).getLong();
  }

  @Override
  public long dialect() {
    return dialect;
  }

  @Override
  public int maxChunkLength() {
    return chunker.maximumSize();
  }

  @Override
  public int cut(ByteBuffer data, boolean last, int[] ends) {
    return chunker.cut(data, last, ends);
  }

  @Override
  public void fingerprints(ByteBuffer data, int[] ends, int count, byte[] fingerprints) {
    Sha256.hash(data, ends, count, fingerprints);
  }
}
