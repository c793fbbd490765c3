/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.crash;

import io.hdrf.block.BlockChecksums;
import io.hdrf.block.BlockHeader;
import io.hdrf.block.BlockProbe;
import io.hdrf.block.BlockRef;
import io.hdrf.block.BlockVerifier;
import io.hdrf.block.ReducedBlock;
import io.hdrf.block.TagKey;
import io.hdrf.block.VerifyResult;
import io.hdrf.io.LiveFiles;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.scheme.VolumeSchemes;
import io.hdrf.scheme.VolumeServices;
import io.hdrf.spi.io.ChannelFile;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.volume.Superblock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.apache.hadoop.conf.Configuration;

/**
 * Checks every finalized block on the volume of a stopped DataNode: each must match its checksums,
 * plain or decoded. Nothing has healed yet.
 */
final class VolumeCheck {

  private static final String BLOCK = "blk_-?\\d+";
  private static final String FINALIZED = "finalized";

  private final SchemeRegistry registry;
  private int plain;
  private int reduced;
  private int truncated;
  private int withoutChecksums;
  private int unfinished;

  VolumeCheck(SchemeRegistry registry) {
    this.registry = registry;
  }

  /** Returns the number of reduced blocks seen so far. */
  int reduced() {
    return reduced;
  }

  /**
   * Checks a volume.
   *
   * @param truncating blocks that stock code may have been truncating in place; such a block may
   *     disagree with its checksums if it is plain
   */
  void check(Path volume, Set<Long> truncating) throws IOException {
    forEachBlock(
        volume, (pool, file, key, schemes) -> checkBlock(pool, file, key, schemes, truncating));
  }

  /** Looks at a block. */
  private interface Look {
    void at(Path pool, Path file, TagKey key, VolumeSchemes schemes) throws IOException;
  }

  private void forEachBlock(Path volume, Look look) throws IOException {
    try (Stream<Path> pools = Files.list(volume.resolve("current"))) {
      for (Path pool :
          pools.filter(path -> path.getFileName().toString().startsWith("BP-")).toList()) {
        forEachBlockOf(pool, look);
      }
    }
  }

  /**
   * Returns the finalized blocks of a volume that can't be read, or don't match their checksums.
   *
   * @param volume of a stopped DataNode, or a copy
   */
  Set<Long> damaged(Path volume) throws IOException {
    Set<Long> damaged = new HashSet<>();
    forEachBlock(
        volume,
        (pool, file, key, schemes) -> {
          try {
            checkBlock(pool, file, key, schemes, Set.of());
          } catch (IOException | AssertionError e) {
            damaged.add(idOf(file));
          }
        });
    return damaged;
  }

  /** Returns the finalized blocks of a volume. */
  static Set<Long> blocks(Path volume) throws IOException {
    return LiveFiles.below(volume.resolve("current")).stream()
        .filter(VolumeCheck::isFinalized)
        .map(VolumeCheck::idOf)
        .collect(Collectors.toSet());
  }

  private static boolean isFinalized(Path file) {
    return file.getFileName().toString().matches(BLOCK)
        && StreamSupport.stream(file.spliterator(), false)
            .anyMatch(part -> part.endsWith(FINALIZED));
  }

  static long idOf(Path file) {
    return Long.parseLong(file.getFileName().toString().substring("blk_".length()));
  }

  /**
   * Returns whether a volume has a finalized block with that id which begins like a reduced one.
   */
  static boolean looksReduced(Path volume, long id) throws IOException {
    for (Path file : LiveFiles.below(volume.resolve("current"))) {
      if (!file.endsWith("blk_" + id)) {
        continue;
      }
      try (ChannelFile open = ChannelFile.open(file)) {
        ByteBuffer magic = ByteBuffer.allocate(Integer.BYTES);
        open.read(magic, 0);
        magic.flip();
        if (magic.remaining() == Integer.BYTES && BlockHeader.hasMagic(magic)) {
          return true;
        }
      } catch (NoSuchFileException e) {
        // Renamed or deleted since.
      }
    }
    return false;
  }

  private void forEachBlockOf(Path pool, Look look) throws IOException {
    Path hdrf = pool.resolve("hdrf");
    // Without a superblock there are no reduced blocks, and no key fits.
    TagKey key = Superblock.readKey(hdrf).orElseGet(() -> new TagKey(new byte[TagKey.LENGTH]));
    if (Files.isDirectory(hdrf.resolve("tmp"))) {
      try (Stream<Path> files = Files.list(hdrf.resolve("tmp"))) {
        unfinished += (int) files.count();
      }
    }
    try (VolumeSchemes schemes =
            new VolumeSchemes(
                registry,
                settings(),
                hdrf,
                LocalDurableFiles.INSTANCE,
                VolumeServices.of(key.volumeId()));
        Stream<Path> files = Files.walk(pool.resolve("current").resolve(FINALIZED))) {
      for (Path file : (Iterable<Path>) files::iterator) {
        if (file.getFileName().toString().matches(BLOCK)) {
          look.at(pool, file, key, schemes);
        }
      }
    }
  }

  private void checkBlock(
      Path pool, Path file, TagKey key, VolumeSchemes schemes, Set<Long> truncating)
      throws IOException {
    long id = idOf(file);
    Path metaFile = metaOf(file);
    if (metaFile == null) {
      // Stock code renames the checksums before the block, and was killed in between.
      withoutChecksums++;
      return;
    }
    BlockRef identity = new BlockRef(pool.getFileName().toString(), id);
    try (ChannelFile open = ChannelFile.open(file);
        ChannelFile meta = ChannelFile.open(metaFile);
        BlockChecksums checksums = BlockChecksums.open(metaFile, meta)) {
      if (BlockProbe.examine(file, open, identity, key).kind() == BlockProbe.Kind.REDUCED) {
        ReducedBlock block = ReducedBlock.open(file, open, identity, key);
        VerifyResult result =
            BlockVerifier.verify(block, schemes.codec(block.header().chainIds()), checksums, null);
        require(result.isOk(), file + " is reduced and damaged: " + result);
        reduced++;
      } else {
        VerifyResult result = BlockVerifier.verifyPlain(open, checksums);
        boolean beingTruncated = !result.isOk() && truncating.contains(id);
        require(result.isOk() || beingTruncated, file + " is damaged: " + result);
        plain++;
        truncated += beingTruncated ? 1 : 0;
      }
    }
  }

  /** Returns settings without collection and scrub: nothing may change a stopped DataNode. */
  private static Configuration settings() {
    Configuration conf = new Configuration();
    conf.setInt("hdrf.dedup.gc.interval", 0);
    conf.setInt("hdrf.dedup.scrub.rate", 0);
    return conf;
  }

  private static void require(boolean condition, String complaint) {
    if (!condition) {
      throw new AssertionError(complaint);
    }
  }

  private static Path metaOf(Path file) throws IOException {
    String name = file.getFileName().toString();
    try (Stream<Path> beside = Files.list(file.getParent())) {
      return beside
          .filter(path -> path.getFileName().toString().matches(name + "_\\d+\\.meta"))
          .findFirst()
          .orElse(null);
    }
  }

  @Override
  public String toString() {
    return String.format(
        "%d reduced and %d plain blocks verified where a DataNode was killed (%d of them being"
            + " truncated, %d without checksums), %d unfinished files",
        reduced, plain, truncated, withoutChecksums, unfinished);
  }
}
