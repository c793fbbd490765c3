/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.datanode.mirror.LinkChoice.Form;
import io.hdrf.io.TestBytes;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.net.SocketOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MeasuredOutputTest {

  @TempDir private Path directory;

  private final AtomicLong counted = new AtomicLong();
  private final LinkChoice choice =
      new LinkChoice(Form.PLAIN, () -> () -> false, () -> {}, () -> {});

  /** All ways in which the DataNode writes. */
  private byte[] writeAll(OutputStream out) throws Exception {
    byte[] data = TestBytes.noise(3 << 20, 1);
    out.write(data[0]);
    out.write(data, 1, 999_999);
    int done = 1_000_000;
    if (out instanceof SocketOutputStream) {
      SocketOutputStream socket = (SocketOutputStream) out;
      ByteBuffer bytes = ByteBuffer.wrap(data, done, 1000);
      while (bytes.hasRemaining()) {
        socket.waitForWritable();
        socket.write(bytes);
      }
      done += 1000;
      Path file = Files.write(directory.resolve("file"), data);
      try (FileChannel channel = FileChannel.open(file)) {
        socket.transferToFully(channel, done, data.length - done, null, null);
      }
    } else {
      out.write(data, done, data.length - done);
    }
    out.flush();
    out.close();
    return data;
  }

  @Test
  void aSocketGetsWhatIsWritten() throws Exception {
    try (ServerSocketChannel server =
        ServerSocketChannel.open()
            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
      SocketChannel client = SocketChannel.open(server.getLocalAddress());
      try (SocketChannel accepted = server.accept();
          InputStream in = Channels.newInputStream(accepted)) {
        CompletableFuture<byte[]> got =
            CompletableFuture.supplyAsync(
                () -> {
                  try {
                    return in.readAllBytes();
                  } catch (java.io.IOException e) {
                    throw new java.io.UncheckedIOException(e);
                  }
                });
        client.configureBlocking(false);
        SocketOutputStream socket = new SocketOutputStream(client, 60_000);
        OutputStream out =
            MeasuredOutput.of(socket, 60_000, LinkMeter.plain(choice), counted::addAndGet);
        byte[] data = writeAll(out);
        assertThat(got.get()).isEqualTo(data);
        // But what goes by single bytes and buffers, as nothing of a block does.
        assertThat(counted).hasValue(data.length - 1001);
        assertThat(client.isOpen()).isFalse();
      }
    }
  }

  @Test
  void anEncryptedStreamGetsWhatIsWritten() throws Exception {
    ByteArrayOutputStream under = new ByteArrayOutputStream();
    OutputStream out =
        MeasuredOutput.of(under, 60_000, LinkMeter.plain(choice), counted::addAndGet);
    byte[] data = writeAll(out);
    assertThat(under.toByteArray()).isEqualTo(data);
    assertThat(counted).hasValue(data.length - 1);
  }
}
