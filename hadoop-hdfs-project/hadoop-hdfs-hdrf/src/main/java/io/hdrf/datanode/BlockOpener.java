/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import io.hdrf.block.BlockHeader;
import io.hdrf.block.BlockIdentity;
import io.hdrf.block.BlockProbe;
import io.hdrf.block.ReducedBlock;
import io.hdrf.io.ChannelFile;
import io.hdrf.io.CorruptFileException;
import io.hdrf.io.UnknownFormatVersionException;
import io.hdrf.reduce.BlockRef;
import io.hdrf.reduce.ReducerCounters;
import java.io.Closeable;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
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

    /** The file as it lies, at its beginning. */
    FileInputStream stream() {
      return stream;
    }

    /** The volume of a reduced block. */
    PoolVolume volume() {
      return volume;
    }

    @Override
    public void close() throws IOException {
      stream.close();
    }
  }

  Opened open(ReplicaSnapshot snapshot) throws IOException {
    return open(snapshot.block(), snapshot.replica());
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
      if (String.valueOf(e.getMessage()).contains("Too many open files")) {
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
    } finally {
      if (!handedOver) {
        stream.close();
      }
    }
  }

  private Opened examine(BlockRef block, LocalReplica replica, Path file, FileInputStream stream)
      throws IOException {
    ChannelFile readable = new ChannelFile(stream.getChannel());
    ByteBuffer magic = ByteBuffer.allocate(Integer.BYTES);
    readable.read(magic, 0);
    magic.flip();
    if (!BlockHeader.hasMagic(magic)) {
      return new Opened(stream, null, null);
    }
    PoolVolume volume = volumes.get(replica.getVolume(), block.poolId());
    BlockIdentity identity = volume.identity(block.blockId());
    BlockProbe probe = BlockProbe.examine(file, readable, identity, volume.key());
    switch (probe.kind()) {
      case REDUCED:
        return new Opened(
            stream, ReducedBlock.open(file, readable, identity, volume.key()), volume);
      case FOREIGN:
        if (volume.mayHoldReducedBlocks() && !isProvedPlain(block, replica, file)) {
          throw probe.reason();
        }
        return new Opened(stream, null, null);
      default:
        return new Opened(stream, null, null);
    }
  }

  /** User data may look like a reduced block; then its bytes match the block's checksums. */
  private boolean isProvedPlain(BlockRef block, LocalReplica replica, Path file)
      throws IOException {
    String proof = block + "@" + replica.getGenerationStamp() + ":" + replica.getNumBytes();
    if (provedPlain.contains(proof)) {
      return true;
    }
    boolean plain = PlainProof.holds(file, replica.getMetaFile().toPath());
    if (plain) {
      provedPlain.add(proof);
    }
    return plain;
  }
}
