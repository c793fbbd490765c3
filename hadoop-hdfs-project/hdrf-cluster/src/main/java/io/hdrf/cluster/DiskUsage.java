/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cluster;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The disk usage of a DataNode's volumes, by the file system's allocation. All in bytes. A file
 * with several hard links counts once.
 *
 * @param blocks number of block files
 * @param logicalBytes apparent length of block files: the length that HDFS sees
 * @param blockBytes allocated to block files
 * @param hdrfBytes allocated to HDRF's own files ({@code hdrf/} directories)
 * @param metaBytes allocated to {@code .meta} files, which HDRF leaves unchanged
 */
public record DiskUsage(
    long blocks, long logicalBytes, long blockBytes, long hdrfBytes, long metaBytes) {

  private static final int ST_BLOCK = 512;

  /** Type, allocated 512-byte units, length, inode, path: one file a line, ended by NUL. */
  private static final String FORMAT = "%y %b %s %i %P\\0";

  private static final Pattern LINE =
      Pattern.compile("(\\S) (\\d+) (\\d+) (\\d+) (.*)", Pattern.DOTALL);

  private static final Pattern BLOCK = Pattern.compile("blk_-?\\d+");
  private static final Pattern META = Pattern.compile("blk_-?\\d+_\\d+\\.meta");

  /** The usage of no volume. */
  public static final DiskUsage NONE = new DiskUsage(0, 0, 0, 0, 0);

  /**
   * Returns the bytes allocated to block files and to HDRF's own files, without {@code .meta}
   * files.
   */
  public long physicalBytes() {
    return blockBytes + hdrfBytes;
  }

  /** Returns physical bytes as a share of logical bytes; 1 where there are no logical bytes. */
  public double ratio() {
    return logicalBytes == 0 ? 1 : (double) physicalBytes() / logicalBytes;
  }

  public DiskUsage plus(DiskUsage other) {
    return new DiskUsage(
        blocks + other.blocks,
        logicalBytes + other.logicalBytes,
        blockBytes + other.blockBytes,
        hdrfBytes + other.hdrfBytes,
        metaBytes + other.metaBytes);
  }

  /** Measures volumes in their present state; files that vanish meanwhile are left out. */
  public static DiskUsage of(Collection<Path> volumes) throws IOException {
    DiskUsage sum = NONE;
    for (Path volume : volumes) {
      sum = sum.plus(of(volume));
    }
    return sum;
  }

  /** Returns the bytes allocated to one file. */
  public static long allocated(Path file) throws IOException {
    Process find =
        new ProcessBuilder("find", file.toString(), "-maxdepth", "0", "-printf", "%b")
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    find.getOutputStream().close();
    String units = new String(find.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    if (!units.matches("\\d{1,18}")) {
      throw new IOException("Can't tell what is allocated to " + file);
    }
    return Long.parseLong(units) * ST_BLOCK;
  }

  private static DiskUsage of(Path volume) throws IOException {
    // Java has no st_blocks. The exit status is ignored: a file deleted meanwhile makes it 1.
    Process find =
        new ProcessBuilder("find", volume.toString(), "-ignore_readdir_race", "-printf", FORMAT)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    find.getOutputStream().close();
    Tally tally = new Tally();
    StringBuilder line = new StringBuilder();
    try (BufferedReader in = find.inputReader()) {
      for (int c = in.read(); c != -1; c = in.read()) {
        if (c == 0) {
          tally.add(line.toString());
          line.setLength(0);
        } else {
          line.append((char) c);
        }
      }
    }
    return tally.result();
  }

  /** Adds up lines of {@link #FORMAT}. */
  static final class Tally {
    private final Set<Long> inodes = new HashSet<>();
    private long blocks;
    private long logical;
    private long block;
    private long hdrf;
    private long meta;

    void add(String line) throws IOException {
      Matcher fields = LINE.matcher(line);
      if (!fields.matches()) {
        throw new IOException("find printed '" + line + "'");
      }
      if (!inodes.add(Long.parseLong(fields.group(4)))) {
        return;
      }
      long allocated = Long.parseLong(fields.group(2)) * ST_BLOCK;
      String path = fields.group(5);
      String name = path.substring(path.lastIndexOf('/') + 1);
      if (path.startsWith("hdrf/") || path.contains("/hdrf/") || path.endsWith("/hdrf")) {
        hdrf += allocated;
      } else if (!fields.group(1).equals("f")) {
        return;
      } else if (BLOCK.matcher(name).matches()) {
        blocks++;
        logical += Long.parseLong(fields.group(3));
        block += allocated;
      } else if (META.matcher(name).matches()) {
        meta += allocated;
      }
    }

    DiskUsage result() {
      return new DiskUsage(blocks, logical, block, hdrf, meta);
    }
  }
}
