/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.jni;

import java.util.function.IntToDoubleFunction;

/**
 * An algorithm and its parameters, derived from an average size.
 *
 * <p>Each mean below is that of the chunks of uniformly random bytes, and rises with the parameter;
 * the search returns the least value that reaches the average. {@code hdrf_chunk_parameters.c} has
 * the same formulas, and both use only +, −, × and / on doubles, in the same order, so that they
 * find the same numbers.
 */
final class ChunkerParameters {

  private static final int VALUES = 256;

  final ChunkerAlgorithm algorithm;

  /** The mean on random bytes, in bytes. */
  final int average;

  /** Window, or look-around, in bytes; 0 if the algorithm has none. */
  final int window;

  /** The minimum chunk size, in bytes; only a stream's last chunk may be shorter. */
  final int minimum;

  /** The maximum chunk size, in bytes. */
  final int maximum;

  /** The length, in bytes, from which on {@link #loose} applies instead of {@link #strict}. */
  final int normal;

  /** Thresholds for a hash; each algorithm defines their meaning. */
  final long strict;

  final long loose;

  private ChunkerParameters(
      ChunkerAlgorithm algorithm,
      int average,
      int window,
      int minimum,
      int maximum,
      int normal,
      long strict,
      long loose) {
    this.algorithm = algorithm;
    this.average = average;
    this.window = window;
    this.minimum = minimum;
    this.maximum = maximum;
    this.normal = normal;
    this.strict = strict;
    this.loose = loose;
  }

  /**
   * @param maximum 0 for the algorithm's default, else that of RAML, in bytes
   * @throws IllegalArgumentException if {@code average} is out of range
   */
  static ChunkerParameters of(ChunkerAlgorithm algorithm, int average, int maximum) {
    if (average < Chunker.MIN_AVERAGE_SIZE || average > Chunker.MAX_AVERAGE_SIZE) {
      throw new IllegalArgumentException(
          "average chunk size of "
              + average
              + " bytes is not between "
              + Chunker.MIN_AVERAGE_SIZE
              + " and "
              + Chunker.MAX_AVERAGE_SIZE);
    }
    switch (algorithm) {
      case RAM:
        int ram = search(w -> ramMean(w, Chunker.SIZE_LIMIT), 1, average, average);
        return windowed(algorithm, average, ram, Chunker.SIZE_LIMIT);
      case RAML:
        int raml = search(w -> ramMean(w, maximum != 0 ? maximum : 4 * w), 1, average, average);
        return windowed(algorithm, average, raml, maximum != 0 ? maximum : 4 * raml);
      case FASTCDC:
        int fast = normal(average, average / 4, 8 * average, average / 4);
        return new ChunkerParameters(
            algorithm,
            average,
            0,
            average / 4,
            8 * average,
            fast,
            Long.divideUnsigned(-1, 4L * average),
            Long.divideUnsigned(-1, average / 4));
      case FIXED:
        return new ChunkerParameters(algorithm, average, 0, average, average, 0, 0, 0);
      case VHASH:
        return vhash(average);
    }
    throw new AssertionError(algorithm);
  }

  private static ChunkerParameters windowed(
      ChunkerAlgorithm algorithm, int average, int window, int maximum) {
    return new ChunkerParameters(algorithm, average, window, window + 1, maximum, 0, 0, 0);
  }

  /**
   * The mean of all chunks is 1.746 times the window; {@code hdrf_chunk_parameters.c} explains it.
   */
  private static ChunkerParameters vhash(int average) {
    int window = average * 1000 / 1746;
    long strict = (1L << 48) / (3L * window);
    return new ChunkerParameters(
        ChunkerAlgorithm.VHASH, average, window, window, 4 * average, 0, strict, 0);
  }

  /** Returns the least value from low to high whose mean is at least the average. */
  private static int search(IntToDoubleFunction mean, int low, int high, int average) {
    int least = low;
    int most = high;
    while (least < most) {
      int middle = least + (most - least) / 2;
      if (mean.applyAsDouble(middle) < average) {
        least = middle + 1;
      } else {
        most = middle;
      }
    }
    return least;
  }

  /** Returns the length at which a probability of 1/(4 average) gives way to one of 1/loose. */
  private static int normal(int average, int minimum, int maximum, int loose) {
    return search(
        normal -> hashMean(minimum, normal, maximum, 4 * average, loose),
        minimum,
        2 * average,
        average);
  }

  /**
   * M is m with the probability ((m+1)/256)^w − (m/256)^w; then each byte after the window ends the
   * chunk with the probability p = (256−m)/256, but the maximum ends it too: (1 −
   * (1−p)^(maximum−w)) / p bytes on average.
   */
  private static double ramMean(int window, int maximum) {
    double mean = window;
    double below = 0;
    for (int m = 0; m < VALUES; m++) {
      double upTo = power((double) (m + 1) / VALUES, window);
      double chance = (double) (VALUES - m) / VALUES;
      double kept = power((double) m / VALUES, maximum - window);
      mean += (upTo - below) * ((1 - kept) / chance);
      below = upTo;
    }
    return mean;
  }

  /**
   * Lengths from {@code minimum} on end the chunk with the probability 1/strict, those from {@code
   * normal} on with 1/loose. Of n tests with the probability p = 1−q, a chunk survives on average q
   * + q² + … + q^n = q (1 − q^n) / p.
   */
  private static double hashMean(int minimum, int normal, int maximum, int strict, int loose) {
    double strictKept = 1 - 1.0 / strict;
    double looseKept = 1 - 1.0 / loose;
    double reached = power(strictKept, normal - minimum);
    double end = power(looseKept, maximum - normal);
    return minimum
        + strictKept * (1 - reached) * strict
        + reached * (looseKept * (1 - end) * loose);
  }

  private static double power(double base, int exponent) {
    double result = 1;
    double square = base;
    for (int rest = exponent; rest != 0; rest >>>= 1) {
      if ((rest & 1) != 0) {
        result *= square;
      }
      square *= square;
    }
    return result;
  }
}
