/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import io.hdrf.block.BlockFormat;
import io.hdrf.block.BlockHeader;
import io.hdrf.block.BlockIdentity;
import io.hdrf.block.BlockProbe;
import io.hdrf.block.ReducedBlock;
import io.hdrf.io.ChannelFile;
import io.hdrf.io.CorruptFileException;
import io.hdrf.io.DiskErrors;
import io.hdrf.io.ReadableFile;
import io.hdrf.io.UnknownFormatVersionException;
import io.hdrf.reduce.BlockRef;
import io.hdrf.reduce.ReducerCounters;
import io.hdrf.scheme.ChainCodec;
import java.io.Closeable;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.hdfs.server.datanode.DiskFileCorruptException;
import org.apache.hadoop.hdfs.server.datanode.LocalReplica;

/**
 * Opens a replica's file once, tells from its first bytes what it is, and serves it from that same
 * descriptor: whatever takes the file's place meanwhile does not matter. Thread-safe.
 */
final class BlockOpener {

  /** How many look-alike blocks are remembered as proved plain. */
  private static final int PROVED_PLAIN_LIMIT = 1024;

  private final PoolVolumes volumes;
  private final ReducerCounters counters;
  private final Set<String> provedPlain =
      Collections.synchronizedSet(
          Collections.newSetFromMap(
              new LinkedHashMap<String, Boolean>() {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
                  return size() > PROVED_PLAIN_LIMIT;
                }
              }));

  BlockOpener(PoolVolumes volumes, ReducerCounters counters) {
    this.volumes = volumes;
    this.counters = counters;
  }

  /** An open block: plain, to be read through its stream, or reduced. For one thread. */
  static final class Opened implements Closeable {
    private final FileInputStream stream;
    private final ReducedBlock reduced;
    private final PoolVolume volume;
    private boolean closed;

    Opened(FileInputStream stream, ReducedBlock reduced, PoolVolume volume) {
      this.stream = stream;
      this.reduced = reduced;
      this.volume = volume;
    }

    boolean isReduced() {
      return reduced != null;
    }

    /** The reduced block; it reads through {@link #stream()}. */
    ReducedBlock reduced() {
      return reduced;
    }

    /** The file as it lies; a plain block's is at the block's first byte. */
    FileInputStream stream() {
      return stream;
    }

    /** The volume of a reduced block; in use until this is closed. */
    PoolVolume volume() {
      return volume;
    }

    /**
     * The codec of a reduced block's chain.
     *
     * @throws UnavailableException if it can't be opened: the header's tag is right, so that it is
     *     not the block that is at fault
     */
    ChainCodec codec() throws UnavailableException {
      try {
        return volume.schemes().codec(reduced.header().chainIds());
      } catch (IOException | RuntimeException | Error e) {
        throw new UnavailableException(
            reduced.name() + " needs schemes that can't be opened: " + e, e);
      }
    }

    @Override
    public void close() throws IOException {
      if (closed) {
        return;
      }
      closed = true;
      try {
        stream.close();
      } finally {
        if (volume != null) {
          volume.endUse();
        }
      }
    }
  }

  Opened open(ReplicaSnapshot snapshot) throws IOException {
    return open(snapshot.block(), snapshot.replica());
  }

  /**
   * The header of a reduced replica, read alone; null where the replica is plain.
   *
   * @throws DiskFileCorruptException if it is damaged
   */
  BlockHeader header(BlockRef block, LocalReplica replica) throws IOException {
    File file = replica.getBlockFile();
    try (FileInputStream stream = new FileInputStream(file)) {
      if (!hasMagic(stream)) {
        return null;
      }
      PoolVolume volume = volumes.use(replica.getVolume(), block.poolId());
      try {
        BlockProbe probe =
            BlockProbe.examine(
                file.toPath(),
                new ChannelFile(stream.getChannel()),
                volume.identity(block.blockId()),
                volume.key());
        if (probe.kind() != BlockProbe.Kind.FOREIGN) {
          return probe.header();
        }
      } finally {
        volume.endUse();
      }
    }
    try (Opened opened = open(block, replica)) {
      return opened.isReduced() ? opened.reduced().header() : null;
    }
  }

  /**
   * Opens an eligible replica.
   *
   * @throws DiskFileCorruptException if it is damaged
   * @throws UnavailableException if it is reduced and can't be read now
   */
  Opened open(BlockRef block, LocalReplica replica) throws IOException {
    File file = replica.getBlockFile();
    FileInputStream stream;
    try {
      stream = new FileInputStream(file);
    } catch (FileNotFoundException e) {
      if (DiskErrors.isOutOfHandles(e)) {
        throw new UnavailableException(e.getMessage(), e);
      }
      throw new IOException("Expected block file at " + file + " does not exist.", e);
    }
    boolean handedOver = false;
    try {
      Opened opened = examine(block, replica, file.toPath(), stream);
      handedOver = true;
      return opened;
    } catch (CorruptFileException e) {
      counters.corruptBlock();
      throw new DiskFileCorruptException(e.getMessage(), e);
    } catch (UnknownFormatVersionException e) {
      throw new UnavailableException(e.getMessage(), e);
    } catch (ClosedChannelException | OutOfMemoryError e) {
      // The thread was interrupted, or there is no room for the frame table.
      throw new UnavailableException(file + " can't be opened now: " + e, e);
    } catch (FileSystemException e) {
      throw DiskErrors.isOutOfHandles(e) ? new UnavailableException(e.getMessage(), e) : e;
    } finally {
      if (!handedOver) {
        stream.close();
      }
    }
  }

  private Opened examine(BlockRef block, LocalReplica replica, Path file, FileInputStream stream)
      throws IOException {
    if (!hasMagic(stream)) {
      return new Opened(stream, null, null);
    }
    PoolVolume volume = volumes.use(replica.getVolume(), block.poolId());
    Opened reduced = null;
    try {
      ChannelFile readable = new ChannelFile(stream.getChannel());
      BlockIdentity identity = volume.identity(block.blockId());
      BlockProbe probe = BlockProbe.examine(file, readable, identity, volume.key());
      if (probe.kind() == BlockProbe.Kind.REDUCED) {
        ReducedBlock opened = ReducedBlock.open(file, readable, identity, volume.key());
        reduced = new Opened(stream, opened, volume);
        return reduced;
      }
      if (probe.kind() == BlockProbe.Kind.FOREIGN
          && volume.mayHoldReducedBlocks()
          && !isProvedPlain(block, replica, readable, volume)) {
        throw probe.reason();
      }
      return new Opened(stream, null, null);
    } finally {
      if (reduced == null) {
        volume.endUse();
      }
    }
  }

  /**
   * Looks at the first bytes and goes back. Through the stream and not its channel, which an
   * interrupt would close: plain blocks are read on threads that are interrupted in the middle of a
   * read and don't expect that to fail.
   */
  private static boolean hasMagic(FileInputStream stream) throws IOException {
    byte[] magic = new byte[Integer.BYTES];
    int count = stream.read(magic);
    if (count > 0) {
      stream.skip(-count);
    }
    return count == magic.length && BlockHeader.hasMagic(ByteBuffer.wrap(magic));
  }

  /**
   * User data may look like a reduced block; then its bytes match the block's checksums. What is
   * proved is what is open. It is remembered by its inode and by its first bytes: the name may lead
   * to another file by now, which does not begin with the same.
   */
  private boolean isProvedPlain(
      BlockRef block, LocalReplica replica, ReadableFile open, PoolVolume volume)
      throws IOException {
    Map<String, Object> inode =
        Files.readAttributes(replica.getBlockFile().toPath(), "unix:ino,ctime,size");
    ByteBuffer head = ByteBuffer.allocate(BlockFormat.HEADER_LENGTH);
    open.read(head, 0);
    String proof =
        block
            + "@"
            + replica.getGenerationStamp()
            + inode
            + new String(head.array(), StandardCharsets.ISO_8859_1);
    if (provedPlain.contains(proof)) {
      return true;
    }
    boolean plain = volume.provesPlain(open, replica.getMetaFile().toPath());
    if (plain) {
      provedPlain.add(proof);
    }
    return plain;
  }
}
