/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.admin;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a pool takes on a volume: its blocks, summed up by how they are stored, and HDRF's own files
 * there. Immutable.
 *
 * <p>On the wire it is a line of fields between tabs: the storage, the pool, the directory, the
 * storage type, why its blocks are not counted, the time; then {@code name=value} fields, of which
 * a reader leaves out those that it does not know.
 */
public final class VolumeUse {

  /** The key of plain blocks in {@link #chains}. */
  public static final String PLAIN = "";

  private static final String SEPARATOR = "\t";
  private static final int FIXED = 6;
  private static final String CHAIN = "chain.";
  private static final String REASON = "reason.";
  private static final String FILES = "files.";
  private static final String SCHEME = "scheme.";
  private static final String UNRECORDED = "unrecorded";
  private static final String WORST = "worst.";

  private final String storageId;
  private final String poolId;
  private final String directory;
  private final String storageType;
  private final String obstacle;
  private final long time;
  private final long unrecorded;
  private final Map<String, BlockSum> chains;
  private final Map<String, Long> reasons;
  private final Map<String, Long> files;
  private final Map<Integer, String> schemes;
  private final List<WorstBlock> worst;

  private VolumeUse(Builder builder) {
    this.storageId = builder.storageId;
    this.poolId = builder.poolId;
    this.directory = builder.directory;
    this.storageType = builder.storageType;
    this.obstacle = builder.obstacle;
    this.time = builder.time;
    this.unrecorded = builder.unrecorded;
    this.chains = Collections.unmodifiableMap(new TreeMap<>(builder.chains));
    this.reasons = Collections.unmodifiableMap(new TreeMap<>(builder.reasons));
    this.files = Collections.unmodifiableMap(new TreeMap<>(builder.files));
    this.schemes = Collections.unmodifiableMap(new TreeMap<>(builder.schemes));
    this.worst = Collections.unmodifiableList(new ArrayList<>(builder.worst));
  }

  /** Puts one together. For one thread. */
  public static final class Builder {
    private final String storageId;
    private final String poolId;
    private final String directory;
    private final String storageType;
    private final long time;
    private String obstacle = "";
    private long unrecorded;
    private final Map<String, BlockSum> chains = new TreeMap<>();
    private final Map<String, Long> reasons = new TreeMap<>();
    private final Map<String, Long> files = new TreeMap<>();
    private final Map<Integer, String> schemes = new TreeMap<>();
    private final List<WorstBlock> worst = new ArrayList<>();

    /**
     * @param directory HDRF's directory of the pool on the volume
     * @param storageType as HDFS names it
     * @param time when the counting began, in milliseconds since 1970-01-01 UTC
     */
    public Builder(
        String storageId, String poolId, String directory, String storageType, long time) {
      this.storageId = storageId;
      this.poolId = poolId;
      this.directory = directory;
      this.storageType = storageType;
      this.time = time;
    }

    /** Says why the blocks or HDRF's files are not counted, or not all. */
    public Builder obstacle(String why) {
      obstacle = why;
      return this;
    }

    /**
     * Adds blocks.
     *
     * @param chain the names of their schemes between commas; {@link #PLAIN} if they are plain
     */
    public Builder blocks(String chain, BlockSum sum) {
      chains.merge(chain, sum, BlockSum::plus);
      return this;
    }

    /** Adds plain blocks that are plain for a reason; they are among {@link #blocks} too. */
    public Builder reason(String name, long blocks) {
      reasons.merge(name, blocks, Long::sum);
      return this;
    }

    /** Adds blocks whose records can't be read. */
    public Builder unrecorded(long blocks) {
      unrecorded += blocks;
      return this;
    }

    /**
     * Adds HDRF's own files.
     *
     * @param bytes by directory, as of {@link StoreBytes#byDirectory}
     */
    public Builder files(Map<String, Long> bytes) {
      bytes.forEach((name, count) -> files.merge(name, count, Long::sum));
      return this;
    }

    /** Tells the name of an installed scheme. */
    public Builder scheme(int id, String name) {
      schemes.put(id, name);
      return this;
    }

    /** Names one of the blocks that save least; the worst first. */
    public Builder worst(WorstBlock block) {
      worst.add(block);
      return this;
    }

    public VolumeUse build() {
      return new VolumeUse(this);
    }
  }

  /** Returns this as text on one line. */
  public String encode() {
    List<String> fields = new ArrayList<>();
    Collections.addAll(
        fields,
        storageId,
        poolId,
        directory,
        storageType,
        obstacle.replaceAll("[\t\n\r]", " "),
        Long.toString(time),
        UNRECORDED + "=" + unrecorded);
    chains.forEach((chain, sum) -> fields.add(CHAIN + chain + "=" + sum.encode()));
    reasons.forEach((reason, blocks) -> fields.add(REASON + reason + "=" + blocks));
    files.forEach(
        (name, bytes) -> fields.add(FILES + name.replaceAll("[\t\n\r=]", "?") + "=" + bytes));
    schemes.forEach((id, name) -> fields.add(SCHEME + id + "=" + name));
    worst.forEach(block -> fields.add(WORST + block.id() + "=" + block.encode()));
    return String.join(SEPARATOR, fields);
  }

  /** Reads {@link #encode}'s text; leaves out unknown fields. */
  public static VolumeUse decode(String text) throws IOException {
    String[] fields = text.split(SEPARATOR, -1);
    try {
      Builder builder =
          new Builder(fields[0], fields[1], fields[2], fields[3], Long.parseLong(fields[5]))
              .obstacle(fields[4]);
      for (int i = FIXED; i < fields.length; i++) {
        int equals = fields[i].indexOf('=');
        add(builder, fields[i].substring(0, equals), fields[i].substring(equals + 1));
      }
      return builder.build();
    } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
      throw new IOException("no sums of a volume: " + text, e);
    }
  }

  private static void add(Builder builder, String name, String value) {
    if (name.equals(UNRECORDED)) {
      builder.unrecorded(Long.parseLong(value));
    } else if (name.startsWith(CHAIN)) {
      builder.blocks(name.substring(CHAIN.length()), BlockSum.decode(value));
    } else if (name.startsWith(REASON)) {
      builder.reason(name.substring(REASON.length()), Long.parseLong(value));
    } else if (name.startsWith(FILES)) {
      builder.files(
          Collections.singletonMap(name.substring(FILES.length()), Long.parseLong(value)));
    } else if (name.startsWith(SCHEME)) {
      builder.scheme(Integer.parseInt(name.substring(SCHEME.length())), value);
    } else if (name.startsWith(WORST)) {
      builder.worst(WorstBlock.decode(name.substring(WORST.length()), value));
    }
  }

  public String storageId() {
    return storageId;
  }

  public String poolId() {
    return poolId;
  }

  /** Returns HDRF's directory of the pool on the volume. */
  public String directory() {
    return directory;
  }

  /** Returns the storage type as HDFS names it. */
  public String storageType() {
    return storageType;
  }

  /** Returns why the blocks or HDRF's files are not counted, or not all; empty if they are. */
  public String obstacle() {
    return obstacle;
  }

  /** Returns whether all blocks and files are counted. */
  public boolean isWhole() {
    return obstacle.isEmpty();
  }

  /** Returns when the counting began, in milliseconds since 1970-01-01 UTC. */
  public long time() {
    return time;
  }

  /** Returns the number of blocks whose records can't be read; they are in no sum. */
  public long unrecorded() {
    return unrecorded;
  }

  /** Returns the sums by the names of the schemes between commas; by {@link #PLAIN} of plain. */
  public Map<String, BlockSum> chains() {
    return chains;
  }

  /** Returns the number of plain blocks by the reason why they are plain, where that is known. */
  public Map<String, Long> reasons() {
    return reasons;
  }

  /** Returns the bytes of HDRF's own files by directory; see {@link StoreBytes#byDirectory}. */
  public Map<String, Long> files() {
    return files;
  }

  /** Returns the names of the installed schemes. */
  public Map<Integer, String> schemes() {
    return schemes;
  }

  /** Returns some of the blocks that save least, the worst first. */
  public List<WorstBlock> worst() {
    return worst;
  }

  /** Returns the sum over all blocks. */
  public BlockSum all() {
    return chains.values().stream().reduce(BlockSum.NONE, BlockSum::plus);
  }

  /** Returns the bytes of all of HDRF's own files. */
  public long fileBytes() {
    return files.values().stream().mapToLong(Long::longValue).sum();
  }
}
