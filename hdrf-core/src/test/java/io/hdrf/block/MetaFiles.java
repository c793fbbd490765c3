/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.block;

import io.hdrf.io.BytesFile;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.apache.hadoop.util.DataChecksum;

/** The {@code .meta} files that HDFS would write. */
public final class MetaFiles {

  private MetaFiles() {}

  public static byte[] of(DataChecksum.Type type, int bytesPerChecksum, byte[] data)
      throws IOException {
    DataChecksum checksum = DataChecksum.newDataChecksum(type, bytesPerChecksum);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.writeShort(1);
    checksum.writeHeader(out);
    if (type != DataChecksum.Type.NULL) {
      int chunks = (int) ((data.length + (long) bytesPerChecksum - 1) / bytesPerChecksum);
      ByteBuffer sums = ByteBuffer.allocate(4 * chunks);
      checksum.calculateChunkedSums(ByteBuffer.wrap(data), sums);
      out.write(sums.array());
    }
    return bytes.toByteArray();
  }

  static BlockChecksums open(byte[] meta) throws IOException {
    return BlockChecksums.open(Path.of("blk_1_1001.meta"), new BytesFile(meta));
  }

  public static BlockChecksums open(DataChecksum.Type type, int bytesPerChecksum, byte[] data)
      throws IOException {
    return open(of(type, bytesPerChecksum, data));
  }
}
