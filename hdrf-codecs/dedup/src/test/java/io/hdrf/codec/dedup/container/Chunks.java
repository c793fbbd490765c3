/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.codec.dedup.container.format.ChunkRef;
import io.hdrf.codec.dedup.container.format.Fingerprinter;
import io.hdrf.reduce.HookedScheme;
import io.hdrf.spi.io.DurableFiles;
import io.hdrf.spi.scheme.FrameChain;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;

/** Chunks whose content a number determines, and settings of a store for them. */
public final class Chunks {

  static final long IDENTITY = 0x1122334455667788L;
  public static final FrameChain PLAIN = chainOf();

  /** The id of deflate in the golden containers. */
  public static final int DEFLATE_ID = 60_100;

  public static final FrameChain DEFLATE = chainOf(DEFLATE_ID);

  private Chunks() {}

  private static FrameChain chainOf(int... ids) {
    try {
      return ids.length == 0
          ? FrameChain.of(List.of(), new Configuration(false))
          : FrameChain.of(
              List.of(new HookedScheme("deflate", DEFLATE_ID, 1)), new Configuration(false));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static FrameChain chain(int... ids) throws IOException {
    if (ids.length == 0) {
      return PLAIN;
    }
    if (ids.length == 1 && ids[0] == DEFLATE_ID) {
      return DEFLATE;
    }
    throw new IOException("no scheme " + ids[0]);
  }

  public static ContainerSettings settings() {
    return ContainerSettings.of(IDENTITY).containerSize(20_000).groupSize(3_000);
  }

  public static ContainerStore open(Path directory, DurableFiles files, ContainerSettings settings)
      throws IOException {
    return ContainerStore.open(directory, files, settings, Chunks::chain, Chunks::fingerprint);
  }

  public static void fingerprint(ByteBuffer chunk, byte[] dst, int offset) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(chunk.duplicate());
      System.arraycopy(digest.digest(), 0, dst, offset, Fingerprinter.LENGTH);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  public static byte[] fingerprint(byte[] chunk) {
    byte[] fingerprint = new byte[Fingerprinter.LENGTH];
    fingerprint(ByteBuffer.wrap(chunk), fingerprint, 0);
    return fingerprint;
  }

  /** The chunk of a number: about half of it compressible, 1 to 1000 bytes. */
  public static byte[] chunk(long number) {
    Random random = new Random(number * 0x9E3779B97F4A7C15L);
    return chunk(number, 1 + random.nextInt(1000));
  }

  public static byte[] chunk(long number, int length) {
    byte[] chunk = new byte[length];
    new Random(~number).nextBytes(chunk);
    for (int i = 0; i < length / 2; i++) {
      chunk[i] = (byte) number;
    }
    return chunk;
  }

  public static long append(ChunkAppender appender, byte[] chunk) throws IOException {
    return appender.append(fingerprint(chunk), 0, direct(chunk));
  }

  public static ByteBuffer direct(byte[] bytes) {
    ByteBuffer buffer = ByteBuffer.allocateDirect(bytes.length);
    buffer.put(bytes).flip();
    return buffer;
  }

  static byte[] read(ContainerStore store, long ref, int length) throws IOException {
    ByteBuffer dst = ByteBuffer.allocateDirect(length);
    store.read(ChunkRef.container(ref), ChunkRef.number(ref), 1, dst);
    byte[] bytes = new byte[dst.position()];
    dst.flip().get(bytes);
    return bytes;
  }

  static void assertHas(ContainerStore store, long ref, byte[] chunk) throws IOException {
    assertThat(read(store, ref, chunk.length)).as(ChunkRef.toString(ref)).isEqualTo(chunk);
    assertThat(store.holds(ref, fingerprint(chunk), 0)).as(ChunkRef.toString(ref)).isTrue();
  }

  /** How many descriptors this process has for files in a directory, deleted ones included. */
  static long openFiles(Path directory) throws IOException {
    try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
      return descriptors.filter(descriptor -> isIn(descriptor, directory)).count();
    }
  }

  private static boolean isIn(Path descriptor, Path directory) {
    try {
      return Files.readSymbolicLink(descriptor).startsWith(directory);
    } catch (IOException e) {
      return false;
    }
  }
}
