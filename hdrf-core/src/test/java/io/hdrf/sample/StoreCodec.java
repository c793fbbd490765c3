/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.sample;

import io.hdrf.spi.io.DurableFile;
import io.hdrf.spi.io.DurableFiles;
import io.hdrf.spi.scheme.BlockCodec;
import io.hdrf.spi.scheme.BlockSource;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.FrameChain;
import io.hdrf.spi.scheme.FrameSink;
import io.hdrf.spi.scheme.SchemeContext;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32;

/**
 * The store of {@link StoreScheme}: a file per block, named after its number, with the block's
 * bytes, each XORed with a constant so that it can't be taken for the block. A frame's payload:
 * file number (u64), the frame's place in the file in frames (u32), CRC-32 of its original bytes
 * (u32), all big endian.
 */
final class StoreCodec implements BlockCodec {

  private static final int FRAME_LENGTH = 64 << 10;
  private static final int PAYLOAD_LENGTH = 16;
  private static final byte MASK = (byte) 0xA5;

  private final Path directory;
  private final DurableFiles files;
  private final AtomicLong nextNumber;
  private final Queue<DurableFile> unforced = new ArrayDeque<>();
  private boolean namesUnforced;

  StoreCodec(SchemeContext context) throws IOException {
    directory = context.storeDirectory();
    files = context.files();
    nextNumber = new AtomicLong(firstFreeNumber());
  }

  private long firstFreeNumber() throws IOException {
    long free = 1;
    try (DirectoryStream<Path> names = Files.newDirectoryStream(directory)) {
      for (Path name : names) {
        free = Math.max(free, Long.parseLong(name.getFileName().toString()) + 1);
      }
    }
    return free;
  }

  @Override
  public void encode(long length, BlockSource source, FrameChain tail, FrameSink sink)
      throws IOException {
    long number = nextNumber.getAndIncrement();
    Path path = file(number);
    DurableFile file = files.create(path);
    boolean written = false;
    try {
      write(length, source, number, file, sink);
      written = true;
    } finally {
      if (!written) {
        file.close();
        files.deleteIfExists(path);
      }
    }
    synchronized (unforced) {
      unforced.add(file);
      namesUnforced = true;
    }
  }

  private static void write(
      long length, BlockSource source, long number, DurableFile file, FrameSink sink)
      throws IOException {
    ByteBuffer body = ByteBuffer.allocateDirect((int) Math.min(FRAME_LENGTH, length));
    ByteBuffer payload = ByteBuffer.allocateDirect(PAYLOAD_LENGTH);
    for (int index = 0; ; index++) {
      body.clear();
      while (body.hasRemaining() && source.read(body) >= 0) {
        // Goes on until the frame is full or the block ends.
      }
      if (body.flip().limit() == 0) {
        return;
      }
      payload.clear().putLong(number).putInt(index).putInt(crc(body)).flip();
      mask(body);
      file.write(body, (long) index * FRAME_LENGTH);
      sink.frame(body.limit(), payload);
    }
  }

  @Override
  public void decode(ByteBuffer payload, ByteBuffer frame) throws IOException {
    if (payload.remaining() != PAYLOAD_LENGTH || frame.remaining() > FRAME_LENGTH) {
      throw new CorruptFrameException(
          payload.remaining() + " bytes for a frame of " + frame.remaining());
    }
    ByteBuffer fields = ByteBuffer.allocate(PAYLOAD_LENGTH).put(payload).flip();
    long number = fields.getLong();
    long index = fields.getInt() & 0xFFFFFFFFL;
    int crc = fields.getInt();
    ByteBuffer body = frame.slice();
    try (FileChannel channel = FileChannel.open(file(number))) {
      long position = index * FRAME_LENGTH;
      while (frame.hasRemaining()) {
        int count = channel.read(frame, position);
        if (count < 0) {
          throw new CorruptFrameException("store file " + number + " is too short");
        }
        position += count;
      }
    } catch (NoSuchFileException e) {
      throw new CorruptFrameException("store file " + number + " is missing", e);
    }
    mask(body);
    if (crc(body) != crc) {
      throw new CorruptFrameException("store file " + number + " or its reference is damaged");
    }
  }

  /** Covers every frame that {@link #encode} has finished, also in other threads. */
  @Override
  public void force() throws IOException {
    synchronized (unforced) {
      for (DurableFile file = unforced.peek(); file != null; file = unforced.peek()) {
        file.force();
        file.close();
        unforced.remove();
      }
      if (namesUnforced) {
        files.forceDirectory(directory);
        namesUnforced = false;
      }
    }
  }

  @Override
  public void close() throws IOException {
    synchronized (unforced) {
      for (DurableFile file = unforced.poll(); file != null; file = unforced.poll()) {
        file.close();
      }
    }
  }

  private Path file(long number) {
    return directory.resolve(Long.toString(number));
  }

  private static void mask(ByteBuffer body) {
    for (int i = 0; i < body.limit(); i++) {
      body.put(i, (byte) (body.get(i) ^ MASK));
    }
  }

  private static int crc(ByteBuffer body) {
    CRC32 crc = new CRC32();
    crc.update(body.duplicate().rewind());
    return (int) crc.getValue();
  }
}
