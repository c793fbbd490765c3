/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.dba;

import java.util.List;

/**
 * The limits that the error rate sets. The invariant is 1 - (1 - F_1)(1 - F_2)... &lt;= error rate
 * over all filters, each with the rate F_i that it has when it is full.
 *
 * <p>The shapes that follow each other as the array grows are numbered: level 0 is the shape of the
 * settings, and each further level has more hash functions (tighten) or more room (enlarge). New
 * filters have the highest level in use; groups of the lowest one are raised to it.
 */
final class ErrorBudget {

  private static final double ROUNDING = 1e-9;
  private static final int MAX_LEVEL = 64;

  private final DbaSettings settings;
  private final double total;

  ErrorBudget(DbaSettings settings) {
    this.settings = settings;
    this.total = -Math.log1p(-settings.errorRate());
  }

  Shape shape(int level) {
    return new Shape(capacity(level), hashes(level));
  }

  private int hashes(int level) {
    double filters = settings.filters();
    if (settings.control() == DbaSettings.Control.TIGHTEN) {
      filters *= Math.pow(settings.growth(), level);
    }
    return Shape.hashes(-Math.expm1(-total / filters));
  }

  private int capacity(int level) {
    double capacity = settings.capacity();
    if (settings.control() == DbaSettings.Control.ENLARGE) {
      capacity *= Math.pow(settings.growth(), level);
    }
    return (int) Math.min(Shape.MAX_CAPACITY, capacity);
  }

  /** The lowest level that is at least as good as a shape. */
  int level(Shape shape) {
    int level = 0;
    while (level < MAX_LEVEL && isBelow(level, shape)) {
      level++;
    }
    return level;
  }

  private boolean isBelow(int level, Shape shape) {
    return settings.control() == DbaSettings.Control.TIGHTEN
        ? hashes(level) < shape.hashes()
        : capacity(level) < shape.capacity();
  }

  /** Returns a shape raised to a level; the same shape where it can't be raised. */
  Shape raised(Shape shape, int level) {
    return settings.control() == DbaSettings.Control.TIGHTEN
        ? new Shape(shape.capacity(), Math.max(shape.hashes(), hashes(level)))
        : new Shape(Math.max(shape.capacity(), capacity(level)), shape.hashes());
  }

  /** The shape of new filters. */
  Shape creationShape(List<FilterGroup> groups) {
    return shape(highestLevel(groups));
  }

  int highestLevel(List<FilterGroup> groups) {
    int highest = 0;
    for (FilterGroup group : groups) {
      highest = Math.max(highest, level(group.shape()));
    }
    return highest;
  }

  private static double cost(Shape shape, int elements) {
    return -Math.log1p(-shape.errorRate(elements));
  }

  private static double used(List<FilterGroup> groups) {
    double sum = 0;
    for (FilterGroup group : groups) {
      for (int column = 0; column < group.width(); column++) {
        if (group.isUsed(column)) {
          sum += cost(group.shape(), group.filter(column).elements);
        }
      }
    }
    return sum;
  }

  /** The compound error rate of all filters, full. */
  static double errorRate(List<FilterGroup> groups) {
    return -Math.expm1(-used(groups));
  }

  /** A shape for {@code more} filters at once, beside those that there are. */
  Shape shapeFor(List<FilterGroup> groups, int more) {
    Shape shape = creationShape(groups);
    int hashes = shape.hashes();
    while (hashes < Shape.MAX_HASHES && creatable(groups, shape) < more) {
      hashes++;
      shape = new Shape(shape.capacity(), hashes);
    }
    return shape;
  }

  /** A shape with as many hash functions that holds so many elements, if there is one. */
  Shape holding(Shape shape, int elements) {
    double capacity = shape.capacity();
    while (capacity < elements) {
      capacity *= settings.growth();
    }
    return new Shape((int) Math.min(Shape.MAX_CAPACITY, capacity), shape.hashes());
  }

  /** Returns the shape that follows when the rate was exceeded, with either control. */
  Shape tightened(Shape shape) {
    int more = Integer.SIZE - Integer.numberOfLeadingZeros(settings.growth() - 1);
    return new Shape(shape.capacity(), Math.min(Shape.MAX_HASHES, shape.hashes() + more));
  }

  /**
   * Returns the number of filters of a shape that may still be made; negative if there are too
   * many.
   */
  long creatable(List<FilterGroup> groups, Shape shape) {
    return (long) Math.floor((total - used(groups)) / cost(shape, 0) + ROUNDING);
  }

  /** Returns the number of filters ahead of its end at which the budget must be stretched. */
  int headroom() {
    return Math.max(1, settings.filters() / 8);
  }
}
