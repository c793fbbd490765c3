/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

import io.hdrf.block.BlockRef;
import io.hdrf.conf.HdrfConf;
import io.hdrf.conf.MirrorSettings;
import io.hdrf.datanode.mirror.query.BlockKeyProofs;
import io.hdrf.jni.Chunker;
import io.hdrf.jni.ChunkerAlgorithm;
import io.hdrf.jni.Sha256;
import io.hdrf.reduce.ReductionRules;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.scheme.BlockCodec;
import io.hdrf.spi.scheme.BlockScheme;
import io.hdrf.spi.scheme.ChunkFunction;
import io.hdrf.spi.scheme.ChunkLookup;
import io.hdrf.spi.scheme.SchemeContext;
import io.hdrf.spi.scheme.SpiVersion;
import io.hdrf.wire.SpoolFile;
import io.hdrf.wire.Timer;
import io.hdrf.wire.WireChains;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.conf.Configuration;

/** Chunks in memory, as a DataNode's storage. */
final class MemoryStore implements Mirroring.Storage {

  static final String SCHEME = "chunks";

  /** Called before a batch is looked up. */
  interface Hook {
    void beforeLookup() throws IOException;
  }

  final Map<ByteBuffer, byte[]> chunks = new ConcurrentHashMap<>();
  volatile Hook hook = () -> {};

  /** The blocks whose replicas are written here. */
  final Set<BlockRef> writing = ConcurrentHashMap.newKeySet();

  /** The file that a block's frames go to, or null. */
  volatile Path spool;

  /** What blocks begin with on the disk. */
  volatile byte[] beginning = {};

  private final SchemeChain chain;

  MemoryStore(SchemeChain chain) {
    this.chain = chain;
  }

  /**
   * Mirroring of a DataNode that has this storage.
   *
   * @param own the chain of what it sends
   */
  Mirroring mirroring(Configuration conf, SchemeRegistry registry, SchemeChain own)
      throws IOException {
    return mirroring(conf, registry, own, (nanos, task) -> {});
  }

  Mirroring mirroring(Configuration conf, SchemeRegistry registry, SchemeChain own, Timer timer)
      throws IOException {
    Map<String, ChunkFunction> functions = new HashMap<>();
    if (registry.names().contains(SCHEME)) {
      functions.put(SCHEME, new Function());
    }
    Mirroring mirroring =
        new Mirroring(
            new MirrorSettings(conf),
            new ReductionRules(new HdrfConf(conf)),
            new WireChains(registry, conf),
            null,
            own,
            true,
            WireChains.travels(chain),
            this,
            functions,
            timer);
    mirroring.queries().setProofs(new BlockKeyProofs(null, poolId -> false));
    return mirroring;
  }

  /** Stores all chunks of a block. */
  void add(byte[] block) {
    ChunkFunction function = new Function();
    ByteBuffer data = ByteBuffer.allocateDirect(block.length).put(block).flip();
    int[] ends = new int[block.length / 512];
    int count = function.cut(data, true, ends);
    byte[] names = new byte[count * 32];
    function.fingerprints(data, ends, count, names);
    for (int i = 0; i < count; i++) {
      chunks.put(
          ByteBuffer.wrap(Arrays.copyOfRange(names, 32 * i, 32 * i + 32)),
          Arrays.copyOfRange(block, i == 0 ? 0 : ends[i - 1], ends[i]));
    }
  }

  @Override
  public SchemeChain chainOf(BlockRef block) {
    return chain;
  }

  @Override
  public byte[] beginning(BlockRef block, int length) {
    return Arrays.copyOf(beginning, Math.min(length, beginning.length));
  }

  @Override
  public Mirroring.Written written(BlockRef block) {
    return !writing.contains(block)
        ? null
        : new Mirroring.Written(
            1001,
            chain,
            () -> {
              if (spool == null) {
                throw new IOException("no spool");
              }
              return SpoolFile.create(LocalDurableFiles.INSTANCE, spool);
            });
  }

  @Override
  public ChunkLookup chunks(String poolId, String scheme) {
    return (fingerprints, ends, count, found, dst) -> {
      hook.beforeLookup();
      find(fingerprints, ends, count, found, dst);
    };
  }

  private void find(byte[] fingerprints, int[] ends, int count, BitSet found, ByteBuffer dst) {
    for (int i = 0; i < count; i++) {
      byte[] chunk =
          chunks.get(ByteBuffer.wrap(Arrays.copyOfRange(fingerprints, 32 * i, 32 * i + 32)));
      int start = i == 0 ? 0 : ends[i - 1];
      if (chunk != null && chunk.length == ends[i] - start) {
        ByteBuffer room = dst.duplicate();
        room.position(dst.position() + start);
        room.put(chunk);
        found.set(i);
      }
    }
  }

  /** The store's cuts and names. */
  static final class Function implements ChunkFunction {
    private final Chunker chunker = Chunker.of(ChunkerAlgorithm.VHASH, 2048);

    @Override
    public long dialect() {
      return 77;
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

  /** Stands at the beginning of the chain. */
  static final class Scheme implements BlockScheme {
    @Override
    public int spiVersion() {
      return SpiVersion.CURRENT;
    }

    @Override
    public String name() {
      return SCHEME;
    }

    @Override
    public int id() {
      return 65210;
    }

    @Override
    public BlockCodec open(SchemeContext context) throws IOException {
      throw new IOException("nothing is stored here");
    }
  }
}
