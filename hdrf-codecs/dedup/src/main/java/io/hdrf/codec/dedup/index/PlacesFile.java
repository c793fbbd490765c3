/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.index;

import io.hdrf.codec.dedup.container.Throttle;
import io.hdrf.codec.dedup.container.format.SlotHash;
import io.hdrf.jni.Crc32c;
import io.hdrf.jni.CuckooTable;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.io.ChannelFile;
import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.io.DurableFile;
import io.hdrf.spi.io.DurableFiles;
import io.hdrf.spi.io.ReadableFile;
import io.hdrf.spi.io.UnknownFormatVersionException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps an index in memory over restarts; {@code docs/formats.md} ("Places of the dedup index") has
 * the bytes. A file that is old is as good as a new one, but for the containers that came later:
 * its entries are hints. So it stays when it was read. One that can't be used stays, too, until the
 * next one takes its place. For one thread at a time.
 */
final class PlacesFile {

  /** The file's name in the store's directory. */
  static final String NAME = "index.places";

  /** No file that can be used. */
  static final long NONE = -2;

  static final int HEADER_LENGTH = 52;
  static final int VERSION = 1;
  static final int MAGIC = 0x4C504889;

  private static final Logger LOG = LoggerFactory.getLogger(PlacesFile.class);

  private static final int OLDEST_VERSION = 1;
  private static final int CRC_OFFSET = HEADER_LENGTH - Integer.BYTES;
  private static final int PIECE = 256 << 10;

  private final Path file;
  private final DurableFiles files;
  private final long volumeId;
  private final int sample;

  /**
   * @param sample from 1 to {@link IndexSettings#MAX_SAMPLE}
   */
  PlacesFile(Path file, DurableFiles files, long volumeId, int sample) {
    this.file = file;
    this.files = files;
    this.volumeId = volumeId;
    this.sample = sample;
  }

  Path path() {
    return file;
  }

  boolean exists() {
    return Files.exists(file);
  }

  /**
   * Makes an empty file where there is none, so that whoever keeps the index elsewhere next knows
   * that it was in memory, however this process ends.
   */
  void begin() throws IOException {
    if (!exists()) {
      try (DurableFile empty = files.create(file)) {
        empty.force();
      }
      files.forceDirectory(file.toAbsolutePath().getParent());
    }
  }

  void delete() throws IOException {
    files.deleteIfExists(temporary());
    files.deleteIfExists(file);
  }

  private Path temporary() {
    return file.resolveSibling(NAME + ".tmp");
  }

  /**
   * Has places use what was saved.
   *
   * @param throttle fails by an {@link InterruptedIOException} if this is to end
   * @return the last container whose entries are among it; -1 if there was none; {@link #NONE} if
   *     nothing was saved that can be used
   * @throws InterruptedIOException if the throttle did
   */
  long load(SampledPlaces places, Throttle throttle) throws InterruptedIOException {
    CuckooTable unused = null;
    try (ReadableFile in = ChannelFile.open(file)) {
      if (in.length() == 0) {
        LOG.debug("{} has nothing yet", file);
        return NONE;
      }
      Header header = readHeader(in, places.mostLog2());
      unused = places.newTable(0, header.bucketsLog2);
      if (unused == null) {
        LOG.info("There is no memory for {}; the index is made again from the containers", file);
        return NONE;
      }
      readSlots(in, unused, throttle);
      places.use(unused, header.hash);
      unused = null;
      return header.last;
    } catch (NoSuchFileException e) {
      LOG.debug("{} is not there", file);
    } catch (InterruptedIOException e) {
      throw e;
    } catch (IOException e) {
      LOG.warn(
          "{} can't be used; the index is made again from the containers: {}",
          file,
          e.getMessage());
    } finally {
      if (unused != null) {
        places.giveBack(unused);
      }
    }
    return NONE;
  }

  /** All but the slots. Immutable. */
  static final class Header {
    final int bucketsLog2;
    final long last;
    final SlotHash hash;

    Header(int bucketsLog2, long last, SlotHash hash) {
      this.bucketsLog2 = bucketsLog2;
      this.last = last;
      this.hash = hash;
    }
  }

  /**
   * Reads the header, and checks the file's length.
   *
   * @param mostLog2 log2 of the most buckets
   */
  Header readHeader(ReadableFile in, int mostLog2) throws IOException {
    ByteBuffer header = ByteBuffer.allocate(HEADER_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
    read(in, header, 0);
    expect("magic", MAGIC, header.getInt(0));
    header.flip();
    header.limit(CRC_OFFSET);
    int crc = Crc32c.update(0, header);
    header.limit(HEADER_LENGTH);
    expect("CRC32C of the header", header.getInt(CRC_OFFSET), crc);
    int version = header.get(4) & 0xFF;
    if (version < OLDEST_VERSION || version > VERSION) {
      throw new UnknownFormatVersionException(file, version, OLDEST_VERSION, VERSION);
    }
    expect("sample", sample, header.get(5));
    int log2 = header.get(6) & 0xFF;
    if (log2 > mostLog2) {
      throw new CorruptFileException(file, "log2 of the buckets", "at most " + mostLog2, log2);
    }
    if (header.getLong(8) != volumeId) {
      throw new CorruptFileException(file, "volume", "this one", "another");
    }
    long last = header.getLong(16);
    if (last < -1) {
      throw new CorruptFileException(file, "last container", "at least -1", last);
    }
    SlotHash hash = new SlotHash(header.getLong(24), header.getLong(32), header.getLong(40));
    if ((hash.factor() & hash.secondFactor() & 1) == 0) {
      throw new CorruptFileException(file, "secret", "two odd numbers", "others");
    }
    expect("length", length(log2), in.length());
    return new Header(log2, last, hash);
  }

  private static long length(int bucketsLog2) {
    return HEADER_LENGTH + CuckooTable.bytes(bucketsLog2) + Integer.BYTES;
  }

  /** Reads the slots into an empty table of the header's size. */
  void readSlots(ReadableFile in, CuckooTable into, Throttle throttle) throws IOException {
    ByteBuffer piece = BufferPool.shared().take(PIECE);
    try {
      long at = HEADER_LENGTH;
      int crc = 0;
      for (int first = 0; first < into.slotCount(); first += piece.limit() / Long.BYTES) {
        limit(piece, into.slotCount() - first);
        throttle.acquire(piece.limit());
        read(in, piece, at);
        piece.flip();
        crc = Crc32c.update(crc, piece);
        into.restore(first, entries(piece));
        at += piece.limit();
      }
      ByteBuffer end = ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
      read(in, end, at);
      expect("CRC32C of the entries", end.getInt(0), crc);
    } finally {
      BufferPool.shared().give(piece);
    }
  }

  private static LongBuffer entries(ByteBuffer piece) {
    return piece.duplicate().order(ByteOrder.LITTLE_ENDIAN).asLongBuffer();
  }

  private static void limit(ByteBuffer piece, int slots) {
    piece.clear();
    piece.limit(Math.min(PIECE / Long.BYTES, slots) * Long.BYTES);
  }

  private void read(ReadableFile in, ByteBuffer into, long position) throws IOException {
    int wanted = into.remaining();
    int found = in.read(into, position);
    if (found != wanted) {
      throw new CorruptFileException(file, "bytes at " + position, wanted, found);
    }
  }

  private void expect(String what, long expected, long found) throws CorruptFileException {
    if (expected != found) {
      throw new CorruptFileException(file, what, expected, found);
    }
  }

  /**
   * Saves a table, if the disk allows it; while that is not done, the former file stays.
   *
   * @param hash tells its buckets and tags
   * @param last the last container whose entries are in it; -1 if there is none
   */
  void store(CuckooTable table, SlotHash hash, long last) {
    try {
      files.deleteIfExists(temporary());
      try (DurableFile out = files.create(temporary())) {
        write(out, table, hash, last);
        out.force();
      }
      files.rename(temporary(), file);
    } catch (IOException e) {
      LOG.warn("{} can't be written; after a restart the containers are read for it", file, e);
      try {
        files.deleteIfExists(temporary());
      } catch (IOException left) {
        LOG.warn("{} stays, and may be deleted", temporary(), left);
      }
    }
  }

  private void write(DurableFile out, CuckooTable table, SlotHash hash, long last)
      throws IOException {
    ByteBuffer header = ByteBuffer.allocate(HEADER_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
    header.putInt(MAGIC).put((byte) VERSION).put((byte) sample);
    header.put((byte) table.bucketsLog2()).put((byte) 0);
    header.putLong(volumeId).putLong(last);
    header.putLong(hash.added()).putLong(hash.factor()).putLong(hash.secondFactor()).flip();
    int headerCrc = Crc32c.update(0, header);
    header.limit(HEADER_LENGTH);
    header.putInt(CRC_OFFSET, headerCrc);
    out.write(header, 0);
    ByteBuffer piece = BufferPool.shared().take(PIECE);
    try {
      long at = HEADER_LENGTH;
      int crc = 0;
      for (int first = 0; first < table.slotCount(); first += piece.limit() / Long.BYTES) {
        limit(piece, table.slotCount() - first);
        table.save(first, entries(piece));
        crc = Crc32c.update(crc, piece);
        out.write(piece, at);
        at += piece.limit();
      }
      ByteBuffer end = ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
      end.putInt(0, crc);
      out.write(end, at);
    } finally {
      BufferPool.shared().give(piece);
    }
  }
}
