/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.scheme;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.spi.io.DurableFiles;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.scheme.BlockCodec;
import io.hdrf.spi.scheme.GuardedBuffer;
import io.hdrf.spi.scheme.StoredFrame;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;

/** {@link VolumeSchemes} with byte arrays for blocks, for tests. */
public final class Volume implements Closeable {

  private final VolumeSchemes schemes;

  public Volume(SchemeRegistry registry, Configuration configuration, Path directory) {
    this(registry, configuration, directory, LocalDurableFiles.INSTANCE);
  }

  public Volume(
      SchemeRegistry registry, Configuration configuration, Path directory, DurableFiles files) {
    this(registry, configuration, directory, files, VolumeServices.NONE);
  }

  public Volume(
      SchemeRegistry registry,
      Configuration configuration,
      Path directory,
      DurableFiles files,
      VolumeServices services) {
    this.schemes = new VolumeSchemes(registry, configuration, directory, files, services);
  }

  /** The codec of a chain. */
  public ChainCodec codec(SchemeChain chain) throws IOException {
    return schemes.codec(chain);
  }

  /** The codec of a chain. */
  public ChainCodec codec(int... ids) throws IOException {
    return schemes.codec(ids);
  }

  /** The block schemes that are open, by name. */
  public java.util.Map<String, BlockCodec> blockCodecs() {
    return schemes.blockCodecs();
  }

  /** Encodes a block that comes in pieces of random size, and makes it durable. */
  public static List<StoredFrame> encode(ChainCodec codec, byte[] block, Random random)
      throws IOException {
    ByteBuffer rest = ByteBuffer.wrap(block);
    List<StoredFrame> frames = new ArrayList<>();
    codec.encode(
        block.length,
        dst -> {
          assertThat(dst.isDirect()).isTrue();
          assertThat(dst.hasRemaining()).isTrue();
          if (!rest.hasRemaining()) {
            return -1;
          }
          int most = Math.min(dst.remaining(), rest.remaining());
          int count = random.nextInt(4) == 0 ? 1 + random.nextInt(most) : most;
          dst.put(rest.slice().limit(count));
          rest.position(rest.position() + count);
          return count;
        },
        (originalLength, stages, stored) -> {
          assertThat(stored.isDirect()).isTrue();
          byte[] bytes = new byte[stored.remaining()];
          stored.get(bytes);
          frames.add(new StoredFrame(originalLength, stages, bytes));
        });
    codec.force();
    return frames;
  }

  /** Decodes one frame between canaries. */
  public static byte[] decode(ChainCodec codec, StoredFrame frame, Random random)
      throws IOException {
    GuardedBuffer stored = new GuardedBuffer(frame.bytes(), random);
    GuardedBuffer decoded = new GuardedBuffer(frame.originalLength(), random);
    try {
      codec.decode(frame.stages(), stored.buffer(), decoded.buffer());
      stored.assertExhausted();
      decoded.assertExhausted();
    } finally {
      stored.assertIntact();
      decoded.assertIntact();
    }
    assertThat(stored.range()).as("encoded form after decoding").isEqualTo(frame.bytes());
    return decoded.range();
  }

  /** Decodes a block's frames in random order. */
  public static byte[] decode(ChainCodec codec, List<StoredFrame> frames, Random random)
      throws IOException {
    int[] offsets = new int[frames.size() + 1];
    List<Integer> order = new ArrayList<>();
    for (int i = 0; i < frames.size(); i++) {
      offsets[i + 1] = offsets[i] + frames.get(i).originalLength();
      order.add(i);
    }
    java.util.Collections.shuffle(order, random);
    byte[] block = new byte[offsets[frames.size()]];
    for (int i : order) {
      byte[] frame = decode(codec, frames.get(i), random);
      System.arraycopy(frame, 0, block, offsets[i], frame.length);
    }
    return block;
  }

  @Override
  public void close() throws IOException {
    schemes.close();
  }
}
