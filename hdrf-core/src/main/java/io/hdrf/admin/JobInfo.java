/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.admin;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** The progress of a job on one volume and block pool. Immutable. */
public final class JobInfo {

  /** The state of a job. */
  public enum State {
    /** No job ran since the DataNode started. */
    NONE,
    RUNNING,
    /** A conversion that begins, or goes on, by itself once no upgrade of HDFS is open. */
    WAITING,
    /** Ended by an administrator, or because the DataNode stops. */
    STOPPED,
    /** Went through all blocks. */
    DONE,
    /** Broke off; the DataNode's log says why. */
    FAILED
  }

  /** Numbers of a job; byte counts are those of the blocks' data. */
  public enum Figure {
    /** The most bytes a second, 0 for no limit. */
    RATE,
    /** Blocks to look at. */
    BLOCKS,
    BYTES,
    BLOCKS_LOOKED,
    BYTES_LOOKED,
    /** Blocks that were converted, inflated, or verified and found sound. */
    BLOCKS_DONE,
    BYTES_DONE,
    /** The part of {@link #BYTES_DONE} that need not be stored any more. */
    BYTES_SAVED,
    /** Blocks that could not be processed yet, and will be tried again before the job ends. */
    BLOCKS_WAITING,
    BLOCKS_DAMAGED,
    /** The time for which it has run. */
    MILLIS
  }

  private static final String SEPARATOR = "\t";
  private static final String LEFT = "left.";
  private static final String EXAMPLE = "example";

  private final String storageId;
  private final String poolId;
  private final String directory;
  private final String mode;
  private final State state;
  private final Map<Figure, Long> figures;
  private final Map<String, Long> left;
  private final List<String> examples;

  /**
   * @param directory HDRF's directory of the pool on the volume
   * @param mode what becomes of blocks there, for people
   * @param left the number of blocks left as they were, by reason
   * @param examples lines for people about some of them
   */
  public JobInfo(
      String storageId,
      String poolId,
      String directory,
      String mode,
      State state,
      Map<Figure, Long> figures,
      Map<String, Long> left,
      List<String> examples) {
    this.storageId = storageId;
    this.poolId = poolId;
    this.directory = directory;
    this.mode = mode;
    this.state = state;
    Map<Figure, Long> all = new EnumMap<>(Figure.class);
    for (Figure figure : Figure.values()) {
      all.put(figure, figures.getOrDefault(figure, 0L));
    }
    this.figures = Collections.unmodifiableMap(all);
    this.left = Collections.unmodifiableMap(new TreeMap<>(left));
    this.examples = Collections.unmodifiableList(new ArrayList<>(examples));
  }

  /** Returns this as text on one line. */
  public String encode() {
    List<String> fields = new ArrayList<>();
    Collections.addAll(fields, storageId, poolId, directory, mode, state.name());
    figures.forEach((figure, value) -> fields.add(figure.name() + "=" + value));
    left.forEach((reason, count) -> fields.add(LEFT + reason + "=" + count));
    examples.forEach(line -> fields.add(EXAMPLE + "=" + line.replaceAll("[\t\n\r]", " ")));
    return String.join(SEPARATOR, fields);
  }

  /** Reads {@link #encode}'s text; leaves out unknown figures. */
  public static JobInfo decode(String text) throws IOException {
    String[] fields = text.split(SEPARATOR, -1);
    try {
      Map<Figure, Long> figures = new EnumMap<>(Figure.class);
      Map<String, Long> left = new TreeMap<>();
      List<String> examples = new ArrayList<>();
      for (int i = 5; i < fields.length; i++) {
        int equals = fields[i].indexOf('=');
        String name = fields[i].substring(0, equals);
        String value = fields[i].substring(equals + 1);
        if (name.equals(EXAMPLE)) {
          examples.add(value);
        } else if (name.startsWith(LEFT)) {
          left.put(name.substring(LEFT.length()), Long.parseLong(value));
        } else {
          putIfKnown(figures, name, value);
        }
      }
      return new JobInfo(
          fields[0],
          fields[1],
          fields[2],
          fields[3],
          State.valueOf(fields[4]),
          figures,
          left,
          examples);
    } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
      throw new IOException("no description of a job: " + text, e);
    }
  }

  private static void putIfKnown(Map<Figure, Long> figures, String name, String value) {
    for (Figure figure : Figure.values()) {
      if (figure.name().equals(name)) {
        figures.put(figure, Long.parseLong(value));
      }
    }
  }

  public String storageId() {
    return storageId;
  }

  public String poolId() {
    return poolId;
  }

  public String directory() {
    return directory;
  }

  /** Returns what becomes of blocks there, for people. */
  public String mode() {
    return mode;
  }

  public State state() {
    return state;
  }

  public long figure(Figure figure) {
    return figures.get(figure);
  }

  /** Returns all figures by their names in JSON. */
  public Map<String, Long> figures() {
    Map<String, Long> named = new java.util.LinkedHashMap<>();
    figures.forEach((figure, value) -> named.put(camelCase(figure.name()), value));
    return named;
  }

  private static String camelCase(String constant) {
    StringBuilder name = new StringBuilder();
    for (String word : constant.split("_", -1)) {
      String lower = word.toLowerCase(Locale.ROOT);
      name.append(
          name.length() == 0 ? lower : Character.toUpperCase(lower.charAt(0)) + lower.substring(1));
    }
    return name.toString();
  }

  /** Returns the number of blocks left as they were, by reason. */
  public Map<String, Long> left() {
    return left;
  }

  /** Returns lines for people about some of the blocks left as they were. */
  public List<String> examples() {
    return examples;
  }
}
