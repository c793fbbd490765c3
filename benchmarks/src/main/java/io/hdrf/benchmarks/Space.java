/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

/**
 * What some files take with a chain.
 *
 * @param data what is in them, as it is printed
 * @param files how many they are
 * @param logical what is in the files, in bytes
 * @param physical what a DataNode holds of them, in bytes
 * @param estimate what {@code hdrf estimate} says that it would, in bytes
 */
record Space(String data, String chain, int files, long logical, long physical, long estimate) {

  double ofLogical() {
    return (double) physical / logical;
  }

  double to(Space other) {
    return (double) physical / other.physical;
  }

  /** How much more than the physical bytes the estimate is, as a share of them. */
  double difference() {
    return (double) (estimate - physical) / physical;
  }
}
