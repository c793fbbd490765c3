/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi;

/**
 * How far a long task is, as a line of text: from where the work is done, through the DataNode, to
 * the command that shows it. Immutable.
 */
public final class TaskProgress {

  /** What is counted. */
  public enum Unit {
    COUNT,
    BYTES
  }

  private static final String SEPARATOR = "\t";
  private static final int FIELDS = 4;

  private final String step;
  private final long done;
  private final long total;
  private final Unit unit;

  /**
   * @param step what is under way, for people, without tabs
   * @param done how much of it is done, at least 0
   * @param total how much there is; 0 if that is not known
   */
  public TaskProgress(String step, long done, long total, Unit unit) {
    this.step = step;
    this.done = done;
    this.total = total;
    this.unit = unit;
  }

  /** Returns this as text on one line. */
  public String encode() {
    return String.join(SEPARATOR, step, Long.toString(done), Long.toString(total), unit.name());
  }

  /** Reads {@link #encode}'s text; any other text is a step of which nothing is counted. */
  public static TaskProgress decode(String text) {
    String[] fields = text.split(SEPARATOR, -1);
    if (fields.length == FIELDS) {
      try {
        return new TaskProgress(
            fields[0],
            Long.parseLong(fields[1]),
            Long.parseLong(fields[2]),
            Unit.valueOf(fields[3]));
      } catch (IllegalArgumentException e) {
        // A line for people that happens to have tabs.
        return new TaskProgress(text, 0, 0, Unit.COUNT);
      }
    }
    return new TaskProgress(text, 0, 0, Unit.COUNT);
  }

  /** Returns what is under way, for people; may be empty. */
  public String step() {
    return step;
  }

  public long done() {
    return done;
  }

  /** Returns how much there is; 0 if that is not known. */
  public long total() {
    return total;
  }

  public Unit unit() {
    return unit;
  }
}
