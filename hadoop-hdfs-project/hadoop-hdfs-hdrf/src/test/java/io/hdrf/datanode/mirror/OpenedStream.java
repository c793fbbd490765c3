/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

import io.hdrf.block.BlockRef;
import io.hdrf.reduce.HookedScheme;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.spi.scheme.FrameChain;
import io.hdrf.wire.SpooledFrames;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.datatransfer.BlockConstructionStage;
import org.apache.hadoop.hdfs.protocol.datatransfer.Op;
import org.apache.hadoop.hdfs.protocol.datatransfer.PacketHeader;
import org.apache.hadoop.hdfs.protocol.datatransfer.Sender;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.OpWriteBlockProto;
import org.apache.hadoop.hdfs.protocol.proto.HdfsProtos.ExtendedBlockProto;
import org.apache.hadoop.hdfs.protocolPB.PBHelperClient;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenSecretManager;
import org.apache.hadoop.hdfs.server.datanode.CachingStrategy;
import org.apache.hadoop.util.DataChecksum;

/**
 * A {@link MirrorInputStream}, and a model of the DataNode's own code that reads from it: one
 * request, and then the packets of one block.
 */
final class OpenedStream implements Closeable {

  static final int SCHEME = 65211;
  static final String POOL = "BP-1";

  final MemoryStore store;
  final Mirroring mirroring;

  /** The block that stock code writes; null if it has found no request to write one. */
  BlockRef written;

  /** What it has written. */
  final ByteArrayOutputStream data = new ByteArrayOutputStream();

  OpenedStream() throws IOException {
    SchemeRegistry registry =
        SchemeRegistry.of(List.of(new HookedScheme("frames", SCHEME, Integer.MAX_VALUE)));
    SchemeChain chain = SchemeChain.parse("chain", "frames", registry);
    store = new MemoryStore(chain);
    mirroring = store.mirroring(new Configuration(false), registry, chain);
  }

  /** Whatever stock code or HDRF throws ends the stream. */
  void read(byte[] records) throws IOException {
    read(records, 512);
  }

  /**
   * As the other.
   *
   * @param buffer how many bytes stock code asks for at once
   */
  void read(byte[] records, int buffer) throws IOException {
    try (MirrorInputStream in =
        new MirrorInputStream(
            mirroring, new ByteArrayInputStream(records), 0, "peer", transfer -> {})) {
      receive(new DataInputStream(new BufferedInputStream(in, buffer)));
    }
  }

  private void receive(DataInputStream in) throws IOException {
    if (in.readShort() != 28 || Op.read(in) != Op.WRITE_BLOCK) {
      throw new IOException("no request to write");
    }
    ExtendedBlockProto block =
        OpWriteBlockProto.parseFrom(PBHelperClient.vintPrefixed(in))
            .getHeader()
            .getBaseHeader()
            .getBlock();
    written = new BlockRef(block.getPoolId(), block.getBlockId());
    store.writing.add(written);
    while (receivePacket(in)) {}
  }

  /** Returns false for the last one. */
  private boolean receivePacket(InputStream source) throws IOException {
    DataInputStream in = new DataInputStream(source);
    int payload = in.readInt();
    int headerLength = in.readShort();
    if (payload < 4 || headerLength < 0 || payload + (long) headerLength > 16 << 20) {
      throw new IOException("no packet");
    }
    PacketHeader header = new PacketHeader();
    header.setFieldsFromData(payload, exactly(in, headerLength));
    int checksums = payload - 4 - header.getDataLen();
    if (checksums < 0 || header.getDataLen() < 0) {
      throw new IOException("no packet");
    }
    exactly(in, checksums);
    data.writeBytes(exactly(in, header.getDataLen()));
    return !header.isLastPacketInBlock();
  }

  private static byte[] exactly(InputStream in, int length) throws IOException {
    byte[] bytes = in.readNBytes(length);
    if (bytes.length < length) {
      throw new EOFException();
    }
    return bytes;
  }

  /** Returns the data that HDRF would store as the block; null if it has kept nothing for it. */
  byte[] kept(BlockRef block) throws IOException {
    SpooledFrames frames = mirroring.spooled().take(block);
    if (frames == null) {
      return null;
    }
    ByteArrayOutputStream decoded = new ByteArrayOutputStream();
    try (frames) {
      FrameChain chain = mirroring.chains().get(frames.chainIds());
      frames.replay(
          (length, stages, stored) -> {
            ByteBuffer frame = ByteBuffer.allocateDirect(length);
            chain.decode(stages, stored, frame);
            byte[] bytes = new byte[length];
            frame.flip();
            frame.get(bytes);
            decoded.writeBytes(bytes);
          });
    }
    return decoded.toByteArray();
  }

  @Override
  public void close() {
    mirroring.close();
  }

  /** A request to write a block, as stock code sends it for a DataNode. */
  static byte[] request(long blockId) throws IOException {
    return request(blockId, "");
  }

  /** As the other, for a client with a name. */
  static byte[] request(long blockId, String client) throws IOException {
    ByteArrayOutputStream request = new ByteArrayOutputStream();
    new Sender(new DataOutputStream(request))
        .writeBlock(
            new ExtendedBlock(POOL, blockId, 0, 1001),
            StorageType.DISK,
            BlockTokenSecretManager.DUMMY_TOKEN,
            client,
            new DatanodeInfo[0],
            new StorageType[0],
            null,
            BlockConstructionStage.PIPELINE_SETUP_CREATE,
            0,
            0,
            0,
            0,
            DataChecksum.newDataChecksum(DataChecksum.Type.CRC32C, 512),
            CachingStrategy.newDefaultStrategy(),
            false,
            false,
            new boolean[0],
            null,
            new String[0]);
    return request.toByteArray();
  }

  /** What precedes a packet's data. */
  static byte[] head(long offset, int length, boolean last) throws IOException {
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(head)) {
      int checksums = (length + 511) / 512 * 4;
      new PacketHeader(4 + checksums + length, offset, offset, last, length, false).write(out);
      out.write(new byte[checksums]);
    }
    return head.toByteArray();
  }
}
