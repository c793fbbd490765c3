/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import io.hdrf.block.BlockChecksums;
import io.hdrf.block.BlockHeader;
import io.hdrf.block.BlockProbe;
import io.hdrf.block.BlockRef;
import io.hdrf.block.BlockVerifier;
import io.hdrf.block.FrameTable;
import io.hdrf.block.ReducedBlock;
import io.hdrf.block.TagKey;
import io.hdrf.block.VerifyResult;
import io.hdrf.cluster.DiskUsage;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.scheme.VolumeSchemes;
import io.hdrf.spi.io.ChannelFile;
import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.io.DiskErrors;
import io.hdrf.spi.io.LocalDurableFiles;
import io.hdrf.spi.io.UnknownFormatVersionException;
import io.hdrf.spi.scheme.BlockScheme;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.FrameSink;
import io.hdrf.spi.scheme.ReductionScheme;
import io.hdrf.spi.scheme.SchemeNotFoundException;
import io.hdrf.spi.scheme.StoredPayloads;
import io.hdrf.volume.Superblock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;

/**
 * The facts about a block file, or a file of a scheme's store, found out without changing anything.
 * A block file may be on a volume, where the superblock and the {@code .meta} file are, or a copy
 * elsewhere, of which fewer facts are known.
 */
final class BlockInspection {
  private static final Pattern BLOCK = Pattern.compile("blk_(-?\\d+)");

  /** The verdict on a file. */
  enum Verdict {
    /** Its decoded data, or its own bytes, match its checksums. */
    VERIFIED,
    /** Something is wrong; the detail explains it. */
    DAMAGED,
    /** The disk can't read all of it now. */
    READ_ERROR,
    /** There were no checksums to compare with, or no scheme to decode with. */
    NOT_VERIFIED
  }

  private final Map<String, Object> facts = new LinkedHashMap<>();
  private Verdict verdict = Verdict.NOT_VERIFIED;
  private String detail = "";

  private BlockInspection() {}

  /** Returns names and values in display order; values are text, numbers or lists. */
  Map<String, Object> facts() {
    return facts;
  }

  Verdict verdict() {
    return verdict;
  }

  /** Returns an explanation of the verdict; may be empty. */
  String detail() {
    return detail;
  }

  /**
   * Inspects a file.
   *
   * @param withFrames whether the facts list each frame of a block, and what it names; of a file of
   *     a store, what its scheme lists
   */
  static BlockInspection of(Path file, SchemeRegistry registry, boolean withFrames)
      throws IOException {
    BlockInspection inspection = new BlockInspection();
    try (ChannelFile open = new ChannelFile(FileChannel.open(file, StandardOpenOption.READ))) {
      Path name = file.toAbsolutePath().normalize();
      inspection.facts.put("file", name.toString());
      if (!inspection.inspectStore(name, registry, withFrames)) {
        inspection.inspect(name, open, registry, withFrames);
      }
    } catch (CorruptFileException e) {
      inspection.judge(Verdict.DAMAGED, e.getMessage());
    } catch (UnknownFormatVersionException e) {
      inspection.judge(Verdict.NOT_VERIFIED, e.getMessage());
    } catch (IOException e) {
      if (!DiskErrors.isReadError(e)) {
        throw e;
      }
      inspection.judge(Verdict.READ_ERROR, e.getMessage());
    }
    inspection.facts.put(
        "verdict", inspection.verdict.name().toLowerCase(Locale.ROOT).replace('_', ' '));
    if (!inspection.detail.isEmpty()) {
      inspection.facts.put("detail", inspection.detail);
    }
    return inspection;
  }

  private void judge(Verdict newVerdict, String why) {
    verdict = newVerdict;
    detail = why;
  }

  /** Returns false if the file is of no scheme's store. */
  private boolean inspectStore(Path file, SchemeRegistry registry, boolean lists)
      throws IOException {
    if (BLOCK.matcher(file.getFileName().toString()).matches()) {
      return false;
    }
    for (String name : registry.names()) {
      if (registry.byName(name) instanceof BlockScheme scheme) {
        Map<String, Object> told = new LinkedHashMap<>();
        try {
          if (scheme.inspectStore(file, lists, told)) {
            judge(Verdict.VERIFIED, "");
            return true;
          }
        } finally {
          addStore(file, name, told, registry);
        }
      }
    }
    return false;
  }

  private void addStore(Path file, String scheme, Map<String, Object> told, SchemeRegistry registry)
      throws IOException {
    if (told.isEmpty()) {
      return;
    }
    long physical = DiskUsage.allocated(file);
    facts.put("physicalBytes", physical);
    if (told.get("logicalBytes") instanceof Long logical && logical > 0) {
      facts.put("ratio", (double) physical / logical);
    }
    facts.put("scheme", scheme);
    told.replaceAll((name, value) -> value instanceof int[] ids ? schemes(ids, registry) : value);
    facts.putAll(told);
  }

  private void inspect(Path file, ChannelFile open, SchemeRegistry registry, boolean withFrames)
      throws IOException {
    long physical = DiskUsage.allocated(file);
    facts.put("logicalBytes", open.length());
    facts.put("physicalBytes", physical);
    facts.put("ratio", open.length() == 0 ? 1.0 : (double) physical / open.length());

    Optional<BlockRef> identity = identity(file);
    Optional<Path> meta = meta(file);
    Path hdrf = poolDirectory(file).map(pool -> pool.resolve("hdrf")).orElse(null);
    Optional<TagKey> key =
        hdrf != null && Files.isDirectory(hdrf) ? Superblock.readKey(hdrf) : Optional.empty();

    if (identity.isPresent() && key.isPresent()) {
      BlockProbe probe = BlockProbe.examine(file, open, identity.get(), key.get());
      if (probe.kind() == BlockProbe.Kind.REDUCED) {
        facts.put("tag", "that of the volume");
        reduced(ReducedBlock.open(file, open, probe.header()), meta, registry, hdrf, withFrames);
        return;
      }
      plain(open, meta);
      if (probe.kind() == BlockProbe.Kind.FOREIGN && verdict != Verdict.VERIFIED) {
        throw probe.reason();
      }
      return;
    }
    if (looksReduced(open)) {
      facts.put("tag", "not checked: there is no superblock above this file");
      reduced(ReducedBlock.openUntrusted(file, open), meta, registry, hdrf, withFrames);
    } else {
      plain(open, meta);
    }
  }

  private static boolean looksReduced(ChannelFile open) throws IOException {
    ByteBuffer magic = ByteBuffer.allocate(Integer.BYTES);
    open.read(magic, 0);
    magic.flip();
    return BlockHeader.hasMagic(magic);
  }

  private void plain(ChannelFile open, Optional<Path> meta) throws IOException {
    facts.put("form", "plain");
    if (meta.isEmpty()) {
      judge(Verdict.NOT_VERIFIED, "there is no .meta file beside it");
      return;
    }
    try (BlockChecksums checksums = checksums(meta.get())) {
      judge(BlockVerifier.verifyPlain(open, checksums));
    }
  }

  private void reduced(
      ReducedBlock block,
      Optional<Path> meta,
      SchemeRegistry registry,
      Path hdrf,
      boolean withFrames)
      throws IOException {
    BlockHeader header = block.header();
    FrameTable frames = block.frames();
    facts.put("form", "reduced");
    facts.put("blockId", header.blockId());
    facts.put("blockPoolHash", Long.toHexString(header.poolHash()));
    facts.put("schemes", schemes(header.chainIds(), registry));
    facts.put("storedBytes", header.physicalLength());
    facts.put("frames", frames.frameCount());
    facts.put("longestFrame", frames.maxOriginalLength());
    facts.put("longestStoredFrame", frames.maxStoredLength());
    facts.put("framesStoredAsTheyAre", plainFrames(frames));
    facts.put("frameTablePosition", header.tablePosition());
    facts.put("frameTableBytes", header.tableLength());
    if (withFrames) {
      facts.put("frameList", frameList(frames));
    }
    SchemeChain chain;
    try {
      chain = SchemeChain.ofIds(header.chainIds(), registry);
    } catch (SchemeNotFoundException e) {
      judge(Verdict.NOT_VERIFIED, e.getMessage());
      return;
    }
    if (!inspectPayloads(block, chain, withFrames)) {
      return;
    }
    if (meta.isEmpty()) {
      judge(Verdict.NOT_VERIFIED, "there is no .meta file beside it");
      return;
    }
    if (chain.keepsContentInStore()) {
      judge(Verdict.NOT_VERIFIED, "its content lies in the store of its volume");
      return;
    }
    Path store = hdrf == null ? block.name().resolveSibling("hdrf") : hdrf;
    try (BlockChecksums checksums = checksums(meta.get());
        VolumeSchemes opened =
            new VolumeSchemes(registry, new Configuration(), store, LocalDurableFiles.INSTANCE)) {
      judge(BlockVerifier.verify(block, opened.codec(header.chainIds()), checksums, null));
    }
  }

  /** Returns false if the payloads can't be read here, which is no damage. */
  private boolean inspectPayloads(ReducedBlock block, SchemeChain chain, boolean lists)
      throws IOException {
    if (!(chain.schemes().get(0) instanceof BlockScheme scheme) || scheme.framesPassTail()) {
      return true;
    }
    try {
      scheme.inspectPayloads(visitor -> showPayloads(block, visitor), lists, facts);
      return true;
    } catch (CorruptFileException e) {
      throw e;
    } catch (CorruptFrameException e) {
      throw new CorruptFileException(block.name(), e.getMessage(), e);
    } catch (IOException e) {
      if (DiskErrors.isReadError(e)) {
        throw e;
      }
      judge(Verdict.NOT_VERIFIED, block.name() + ": " + e.getMessage());
      return false;
    }
  }

  private static void showPayloads(ReducedBlock block, StoredPayloads.Visitor visitor)
      throws IOException {
    FrameTable frames = block.frames();
    ByteBuffer stored = ByteBuffer.allocateDirect(frames.maxStoredLength());
    for (int i = 0; i < frames.frameCount(); i++) {
      stored.clear();
      block.readStored(i, stored);
      stored.flip();
      try {
        if (frames.stages(i) != FrameSink.BLOCK_STAGE) {
          throw new CorruptFrameException("stage mask " + frames.stages(i));
        }
        visitor.frame(block.header().blockId(), frames.originalLength(i), stored);
      } catch (CorruptFrameException e) {
        throw new CorruptFrameException("frame " + i + ": " + e.getMessage(), e);
      } catch (IOException e) {
        throw new IOException("frame " + i + ": " + e.getMessage(), e);
      }
    }
  }

  private void judge(VerifyResult result) {
    switch (result.outcome()) {
      case OK -> judge(Verdict.VERIFIED, "");
      case MISMATCH ->
          judge(Verdict.DAMAGED, "its checksums differ from byte " + result.offset() + " on");
      case CHECKSUMS_INCOMPLETE ->
          judge(Verdict.NOT_VERIFIED, "its .meta file has too few checksums");
      default -> judge(Verdict.NOT_VERIFIED, "its .meta file has no checksums");
    }
  }

  private static BlockChecksums checksums(Path meta) throws IOException {
    FileChannel channel = FileChannel.open(meta, StandardOpenOption.READ);
    boolean opened = false;
    try {
      BlockChecksums checksums = BlockChecksums.open(meta, new ChannelFile(channel));
      opened = true;
      return checksums;
    } finally {
      if (!opened) {
        channel.close();
      }
    }
  }

  private static List<String> schemes(int[] ids, SchemeRegistry registry) {
    List<String> names = new ArrayList<>();
    for (int id : ids) {
      String name;
      try {
        ReductionScheme scheme = registry.byId(id);
        name = scheme.name();
      } catch (SchemeNotFoundException e) {
        name = "(id " + id + ", not installed)";
      }
      names.add(name);
    }
    return names;
  }

  private static int plainFrames(FrameTable frames) {
    int plain = 0;
    for (int i = 0; i < frames.frameCount(); i++) {
      plain += frames.stages(i) == 0 ? 1 : 0;
    }
    return plain;
  }

  /** A row for each frame, made when it is asked for. */
  private static List<Map<String, Object>> frameList(FrameTable frames) {
    return new AbstractList<>() {
      @Override
      public int size() {
        return frames.frameCount();
      }

      @Override
      public Map<String, Object> get(int i) {
        Map<String, Object> frame = new LinkedHashMap<>();
        frame.put("frame", i);
        frame.put("position", frames.originalPosition(i));
        frame.put("length", frames.originalLength(i));
        frame.put("storedPosition", frames.storedPosition(i));
        frame.put("storedLength", frames.storedLength(i));
        frame.put("stages", frames.stages(i));
        frame.put("crc32c", String.format("%08x", frames.checksum(i)));
        return frame;
      }
    };
  }

  private static Optional<BlockRef> identity(Path file) {
    Matcher name = BLOCK.matcher(file.getFileName().toString());
    Optional<Path> pool = poolDirectory(file);
    return name.matches() && pool.isPresent()
        ? Optional.of(
            new BlockRef(pool.get().getFileName().toString(), Long.parseLong(name.group(1))))
        : Optional.empty();
  }

  /** Returns the directory {@code <volume>/current/BP-…} that contains the file. */
  private static Optional<Path> poolDirectory(Path file) {
    for (Path path = file.getParent(); path != null; path = path.getParent()) {
      if (path.getFileName() != null && path.getFileName().toString().startsWith("BP-")) {
        return Optional.of(path);
      }
    }
    return Optional.empty();
  }

  private static Optional<Path> meta(Path file) throws IOException {
    try (DirectoryStream<Path> found =
        Files.newDirectoryStream(file.getParent(), file.getFileName() + "_*.meta")) {
      for (Path meta : found) {
        return Optional.of(meta);
      }
    }
    return Optional.empty();
  }
}
