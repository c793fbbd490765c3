/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.codec.dedup.container.format.ContainerFooter;
import io.hdrf.codec.dedup.container.format.ContainerFormat;
import io.hdrf.codec.dedup.container.format.ContainerHeader;
import io.hdrf.codec.dedup.container.format.DirectoryBuilder;
import io.hdrf.codec.dedup.container.format.DirectoryFormat;
import io.hdrf.codec.dedup.container.format.Fingerprinter;
import io.hdrf.codec.dedup.container.format.GroupHeader;
import io.hdrf.spi.io.ChannelFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** Makes the files that builds before version 2 wrote. */
final class VersionOneFiles {

  private VersionOneFiles() {}

  /** Replaces a sealed container by one of version 1 with the same groups. */
  static void replace(Path path) throws IOException {
    byte[] file = Files.readAllBytes(path);
    ContainerDirectory content;
    ContainerFooter footer;
    try (ChannelFile channel = ChannelFile.open(path)) {
      footer = ContainerFooter.read(path, channel);
      content = footer.readDirectory(path, channel);
    }
    ByteBuffer header = footer.header().encode();
    header.put(4, (byte) 1);
    ByteBuffer little = ContainerFormat.littleEndian(header);
    little.putInt(60, ContainerFormat.crc(header, 0, 60));
    ContainerHeader old = ContainerHeader.parse(path, header);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    write(header, out);
    DirectoryBuilder built = new DirectoryBuilder();
    byte[] fingerprint = new byte[Fingerprinter.LENGTH];
    for (int g = 0; g < content.groupCount(); g++) {
      int start = (int) content.groupPosition(g);
      int length = content.headerLength(g);
      ByteBuffer bytes = ByteBuffer.wrap(Arrays.copyOfRange(file, start, start + length));
      GroupHeader group = GroupHeader.parse(path, bytes, old.marker());
      int shorter = length - Integer.BYTES * group.chunkCount();
      ByteBuffer one = ContainerFormat.littleEndian(bytes);
      one.putInt(32, shorter - GroupHeader.FIXED_LENGTH);
      one.put(37, (byte) (one.get(37) & 1));
      int crc = ContainerFormat.crc(one, 0, 40);
      one.putInt(40, ContainerFormat.crc(crc, one, GroupHeader.FIXED_LENGTH, shorter));
      long position = out.size();
      out.write(bytes.array(), 0, shorter);
      out.write(file, start + length, content.storedLength(g));
      for (int i = content.firstChunk(g); i < content.endChunk(g); i++) {
        content.fingerprint(i, fingerprint, 0);
        built.addChunk(
            content.number(i),
            content.length(i),
            group.checksum(i - content.firstChunk(g)),
            fingerprint,
            0);
      }
      built.endGroup(position, shorter, content.storedLength(g), content.stages(g));
    }
    ContainerDirectory directory = built.build();
    long end = out.size();
    int length = DirectoryFormat.encodedLength(directory, 1);
    ByteBuffer encoded = ByteBuffer.allocate(length);
    DirectoryFormat.encode(directory, 1, encoded);
    out.write(encoded.array(), 0, length);
    ContainerFooter last =
        new ContainerFooter(
            old,
            end,
            length,
            directory.groupCount(),
            directory.chunkCount(),
            directory.originalBytes(),
            footer.sealTime(),
            0);
    write(last.encode(), out);
    Files.write(path, out.toByteArray());
  }

  private static void write(ByteBuffer bytes, ByteArrayOutputStream out) throws IOException {
    byte[] copy = new byte[bytes.remaining()];
    bytes.duplicate().get(copy);
    out.write(copy);
  }
}
