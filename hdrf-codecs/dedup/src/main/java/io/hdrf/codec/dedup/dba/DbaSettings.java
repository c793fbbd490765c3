/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.dba;

import io.hdrf.spi.BadSettingException;
import io.hdrf.spi.PluginSettings;
import java.util.Locale;

/** The settings of a {@link BloomFilterArray}: values only, each in its range. Immutable. */
public final class DbaSettings {

  /** The way to keep the error rate when there are more filters than planned. */
  public enum Control {
    /** More hash functions for each filter: more filters may follow. */
    TIGHTEN,
    /** More room in each filter: no more filters are needed. */
    ENLARGE
  }

  /** Value of {@link #group}: the width follows the number of filters. */
  public static final int AUTO = 0;

  /** Value of {@link #memory}: no limit. */
  public static final long UNLIMITED = 0;

  static final int MAX_GROUP = 512;
  private static final int MAX_FILTERS = 1 << 20;
  private static final int MAX_GROWTH = 16;
  private static final double MIN_ERROR_RATE = 1.0 / (1L << 40);
  private static final double MAX_ERROR_RATE = 0.5;

  private final double errorRate;
  private final int capacity;
  private final int filters;
  private final int group;
  private final int growth;
  private final Control control;
  private final double staleShare;
  private final long memory;

  private DbaSettings(Builder b) {
    check(b.errorRate >= MIN_ERROR_RATE && b.errorRate <= MAX_ERROR_RATE, "error rate");
    check(b.capacity >= 1 && b.capacity <= Shape.MAX_CAPACITY, "capacity");
    check(b.filters >= 1 && b.filters <= MAX_FILTERS, "filters");
    check(b.group == AUTO || isWidth(b.group), "group");
    check(b.growth >= 2 && b.growth <= MAX_GROWTH, "growth");
    check(b.staleShare > 0 && b.staleShare <= 1, "stale share");
    check(b.memory >= 0, "memory");
    errorRate = b.errorRate;
    capacity = b.capacity;
    filters = b.filters;
    group = b.group;
    growth = b.growth;
    control = b.control;
    staleShare = b.staleShare;
    memory = b.memory;
  }

  private static void check(boolean right, String what) {
    if (!right) {
      throw new IllegalArgumentException(what + " is out of range");
    }
  }

  private static boolean isWidth(int group) {
    return group == 1 || (group >= 8 && group <= MAX_GROUP && Integer.bitCount(group) == 1);
  }

  /** The defaults, to be changed. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Reads the keys {@code hdrf.dedup.dba.*}.
   *
   * @param dedup the settings of the scheme dedup
   * @throws BadSettingException if a value is wrong; the message names its key
   */
  public static DbaSettings from(PluginSettings dedup) throws BadSettingException {
    Builder b = builder();
    b.errorRate = dedup.getFraction("dba.error.rate", b.errorRate, MIN_ERROR_RATE, MAX_ERROR_RATE);
    b.capacity = dedup.getInt("dba.capacity", b.capacity, 1, Shape.MAX_CAPACITY);
    b.filters = dedup.getInt("dba.filters", b.filters, 1, MAX_FILTERS);
    b.group = group(dedup);
    b.growth = dedup.getInt("dba.growth", b.growth, 2, MAX_GROWTH);
    b.control = control(dedup);
    b.staleShare = dedup.getFraction("dba.stale.share", b.staleShare, 0.001, 1);
    b.memory = dedup.getLongSize("dba.memory", b.memory, UNLIMITED, Long.MAX_VALUE);
    return b.build();
  }

  private static int group(PluginSettings settings) throws BadSettingException {
    String value = settings.getString("dba.group", "auto").toLowerCase(Locale.ROOT);
    if (value.isEmpty() || value.equals("auto")) {
      return AUTO;
    }
    try {
      int group = Integer.parseInt(value);
      if (isWidth(group)) {
        return group;
      }
    } catch (NumberFormatException e) {
      throw badGroup(settings, value);
    }
    throw badGroup(settings, value);
  }

  private static BadSettingException badGroup(PluginSettings settings, String value) {
    return new BadSettingException(
        settings.key("dba.group"), value, "auto, or one of 1, 8, 16, 32, 64, 128, 256, 512");
  }

  private static Control control(PluginSettings settings) throws BadSettingException {
    String value = settings.getString("dba.control", "tighten");
    switch (value.toLowerCase(Locale.ROOT)) {
      case "":
      case "tighten":
        return Control.TIGHTEN;
      case "enlarge":
        return Control.ENLARGE;
      default:
        throw new BadSettingException(settings.key("dba.control"), value, "tighten or enlarge");
    }
  }

  /** The share of absent fingerprints that may have a candidate. */
  public double errorRate() {
    return errorRate;
  }

  /** Elements of one filter. */
  public int capacity() {
    return capacity;
  }

  /** Filters until the error rate must be controlled. */
  public int filters() {
    return filters;
  }

  /** Filters of one group: {@link #AUTO} or a power of two. */
  public int group() {
    return group;
  }

  /** Returns the factor by which the room, or the number of filters, is multiplied. */
  public int growth() {
    return growth;
  }

  public Control control() {
    return control;
  }

  /** Returns the share of deleted elements from which on a filter is rebuilt. */
  public double staleShare() {
    return staleShare;
  }

  /** Bytes of all groups together, or {@link #UNLIMITED}. */
  public long memory() {
    return memory;
  }

  /** Collects settings; {@link #build} checks them. */
  public static final class Builder {
    private double errorRate = 1.0 / (1 << 14);
    private int capacity = 1 << 19;
    private int filters = 64;
    private int group = AUTO;
    private int growth = 3;
    private Control control = Control.TIGHTEN;
    private double staleShare = 0.25;
    private long memory = 256L << 20;

    private Builder() {}

    /** Sets the error rate, 2^-40 to 0.5. */
    public Builder errorRate(double value) {
      errorRate = value;
      return this;
    }

    /** Sets the capacity, 1 to 2^27. */
    public Builder capacity(int value) {
      capacity = value;
      return this;
    }

    /** Sets the number of filters, 1 to 2^20. */
    public Builder filters(int value) {
      filters = value;
      return this;
    }

    /** {@link DbaSettings#AUTO}, 1, or a power of two from 8 to 512. */
    public Builder group(int value) {
      group = value;
      return this;
    }

    /** Sets the growth, 2 to 16. */
    public Builder growth(int value) {
      growth = value;
      return this;
    }

    public Builder control(Control value) {
      control = value;
      return this;
    }

    /** More than 0, at most 1. */
    public Builder staleShare(double value) {
      staleShare = value;
      return this;
    }

    /** Bytes, or {@link DbaSettings#UNLIMITED}. */
    public Builder memory(long value) {
      memory = value;
      return this;
    }

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if one is out of its range
     */
    public DbaSettings build() {
      return new DbaSettings(this);
    }
  }
}
