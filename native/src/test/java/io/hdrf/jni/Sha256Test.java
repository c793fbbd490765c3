/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.jni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class Sha256Test {

  private static final int OFFSET = 3;

  private final Random random = new Random(11);

  private static void check(byte[] bytes, int[] ends, int count) throws Exception {
    byte[] expected = new byte[(count + 1) * Sha256.LENGTH];
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    for (int i = 0; i < count; i++) {
      int start = i == 0 ? 0 : ends[i - 1];
      digest.update(bytes, OFFSET + start, ends[i] - start);
      digest.digest(expected, i * Sha256.LENGTH, Sha256.LENGTH);
    }
    ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length).put(bytes);
    for (ByteBuffer data : new ByteBuffer[] {direct, ByteBuffer.wrap(bytes)}) {
      data.limit(bytes.length).position(OFFSET);
      byte[] found = new byte[expected.length];
      Sha256.hash(data, ends, count, found);
      assertThat(found).isEqualTo(expected);
      Arrays.fill(found, (byte) 0);
      Sha256.hashInJava(data, ends, count, found);
      assertThat(found).isEqualTo(expected);
      assertThat(data.position()).isEqualTo(OFFSET);
      assertThat(data.limit()).isEqualTo(bytes.length);
    }
  }

  private byte[] noise(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  @Test
  void everyLength() throws Exception {
    for (int length = 0; length < 300; length++) {
      check(noise(OFFSET + length), new int[] {length}, 1);
      check(noise(OFFSET + 2 * length), new int[] {length, 2 * length}, 2);
    }
  }

  @Test
  void manyMessages() throws Exception {
    for (int round = 0; round < 20; round++) {
      int[] ends = new int[random.nextInt(2000)];
      int end = 0;
      for (int i = 0; i < ends.length; i++) {
        end += random.nextInt(random.nextInt(20) == 0 ? 5000 : 200);
        ends[i] = end;
      }
      check(noise(OFFSET + end), ends, ends.length);
    }
  }

  @Test
  void whatDoesNotLieInTheBufferIsRefused() {
    ByteBuffer data = ByteBuffer.allocateDirect(100).position(10).limit(60);
    byte[] digests = new byte[2 * Sha256.LENGTH];
    for (int[] ends : new int[][] {{51}, {-1}, {20, 19}, {10, 51}}) {
      assertThatThrownBy(() -> Sha256.hash(data, ends, ends.length, digests))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
    assertThatThrownBy(() -> Sha256.hash(data, new int[] {1}, 2, digests))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> Sha256.hash(data, new int[] {1, 2, 3}, 3, digests))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> Sha256.hash(data, new int[] {1}, -1, digests))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThat(digests).containsOnly(0);
  }

  /** An empty mapping is a direct buffer at address 0. */
  @Test
  void emptyMessagesOfABufferWithoutAddressHaveDigests(@TempDir Path directory) throws Exception {
    Path file = Files.createFile(directory.resolve("empty"));
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      ByteBuffer nothing = channel.map(FileChannel.MapMode.READ_ONLY, 0, 0);
      assertThat(nothing.isDirect()).isTrue();
      byte[] digests = new byte[3 * Sha256.LENGTH];
      Sha256.hash(nothing, new int[3], 3, digests);
      byte[] expected = MessageDigest.getInstance("SHA-256").digest();
      for (int i = 0; i < 3; i++) {
        assertThat(Arrays.copyOfRange(digests, i * Sha256.LENGTH, (i + 1) * Sha256.LENGTH))
            .isEqualTo(expected);
      }
    }
  }

  /** As if memory ran out in the middle of a message. */
  @Test
  void whatAnErrorLeftBehindIsNotPartOfTheNextMessage() throws Exception {
    ByteBuffer data = ByteBuffer.wrap(new byte[] {1, 2, 3});
    byte[] expected = new byte[Sha256.LENGTH];
    Sha256.hash(data, new int[] {3}, 1, expected);
    Sha256.digestOfThread().update((byte) 7);
    byte[] digest = new byte[Sha256.LENGTH];
    Sha256.hash(data, new int[] {3}, 1, digest);
    assertThat(digest).isEqualTo(expected);
  }
}
