/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.replica;

import io.hdrf.block.BlockHeader;
import io.hdrf.block.BlockProbe;
import io.hdrf.block.BlockRef;
import io.hdrf.block.ReducedBlock;
import io.hdrf.datanode.volume.IoTimes;
import io.hdrf.datanode.volume.PlainProof;
import io.hdrf.datanode.volume.PoolSlice;
import io.hdrf.datanode.volume.PoolSlices;
import io.hdrf.datanode.volume.UnavailableException;
import io.hdrf.reduce.ReducerCounters;
import io.hdrf.scheme.ChainCodec;
import io.hdrf.spi.io.ChannelFile;
import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.io.DiskErrors;
import io.hdrf.spi.io.ReadableFile;
import io.hdrf.spi.io.UnknownFormatVersionException;
import java.io.Closeable;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.apache.hadoop.hdfs.server.datanode.DiskFileCorruptException;
import org.apache.hadoop.hdfs.server.datanode.LocalReplica;

/**
 * Opens a replica's file once, finds out from its first bytes whether it is reduced, and reads it
 * through the same descriptor, even if the file is replaced meanwhile. Thread-safe.
 */
public final class BlockOpener {

  private final PoolSlices volumes;
  private final ReducerCounters counters;
  private final IoTimes times;

  public BlockOpener(PoolSlices volumes, ReducerCounters counters, IoTimes times) {
    this.volumes = volumes;
    this.counters = counters;
    this.times = times;
  }

  /** An open block: plain, to be read through its stream, or reduced. For one thread. */
  public static final class Opened implements Closeable {
    private final FileInputStream stream;
    private final ReducedBlock reduced;
    private final PoolSlice volume;
    private boolean closed;

    Opened(FileInputStream stream, ReducedBlock reduced, PoolSlice volume) {
      this.stream = stream;
      this.reduced = reduced;
      this.volume = volume;
    }

    public boolean isReduced() {
      return reduced != null;
    }

    /** The reduced block; it reads through {@link #stream()}. */
    public ReducedBlock reduced() {
      return reduced;
    }

    /** The file as it lies; a plain block's is at the block's first byte. */
    public FileInputStream stream() {
      return stream;
    }

    /** The volume of a reduced block; in use until this is closed. */
    PoolSlice volume() {
      return volume;
    }

    /**
     * The codec of a reduced block's chain.
     *
     * @throws UnavailableException if it can't be opened: the header's tag is right, so that it is
     *     not the block that is at fault
     */
    public ChainCodec codec() throws UnavailableException {
      try {
        return volume.schemes().codec(reduced.header().chainIds());
      } catch (IOException | RuntimeException | Error e) {
        throw new UnavailableException(
            reduced.name() + " needs schemes that can't be opened: " + e, e);
      }
    }

    /** Ends this object without closing the stream, which is the caller's from now on. */
    public FileInputStream detachStream() {
      if (closed) {
        throw new IllegalStateException("closed");
      }
      closed = true;
      if (volume != null) {
        volume.endUse();
      }
      return stream;
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

  public Opened open(ReplicaSnapshot snapshot) throws IOException {
    return open(snapshot.block(), snapshot.replica());
  }

  /**
   * The header of a reduced replica, read alone; null where the replica is plain.
   *
   * @throws DiskFileCorruptException if it is damaged
   */
  public BlockHeader header(BlockRef block, LocalReplica replica) throws IOException {
    File file = replica.getBlockFile();
    try (FileInputStream stream = new FileInputStream(file)) {
      ByteBuffer head = PlainProof.head(stream);
      if (head == null) {
        return null;
      }
      // Needs no scheme, and so works until the end of the process, when records are written last.
      PoolSlice volume = volumes.find(replica.getVolume().getStorageID(), block.poolId());
      if (volume != null) {
        BlockProbe probe = judge(file.toPath(), head, stream, volume, block);
        if (probe.kind() != BlockProbe.Kind.FOREIGN) {
          return probe.header();
        }
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
  public Opened open(BlockRef block, LocalReplica replica) throws IOException {
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
    } catch (ClosedChannelException | NoSuchFileException | OutOfMemoryError e) {
      // The thread was interrupted; the checksums are missing, as the block is being appended to,
      // or HDFS deals with that; or there is no room for the frame table.
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
    ByteBuffer head = PlainProof.head(stream);
    if (head == null) {
      return new Opened(stream, null, null);
    }
    PoolSlice volume = volumes.use(replica.getVolume(), block.poolId());
    Opened reduced = null;
    try {
      ReadableFile readable =
          times.timed(new ChannelFile(stream.getChannel()), replica.getVolume());
      BlockProbe probe = judge(file, head, stream, volume, block);
      if (probe.kind() == BlockProbe.Kind.REDUCED) {
        reduced = new Opened(stream, ReducedBlock.open(file, readable, probe.header()), volume);
        return reduced;
      }
      if (probe.kind() == BlockProbe.Kind.FOREIGN
          && volume.mayHoldReducedBlocks()
          && !volume.provesPlain(readable, replica.getMetaFile().toPath())) {
        throw probe.reason();
      }
      return new Opened(stream, null, null);
    } finally {
      if (reduced == null) {
        volume.endUse();
      }
    }
  }

  private static BlockProbe judge(
      Path file, ByteBuffer head, FileInputStream stream, PoolSlice volume, BlockRef block)
      throws IOException {
    return BlockProbe.judge(file, head, stream.getChannel().size(), block, volume.key());
  }
}
