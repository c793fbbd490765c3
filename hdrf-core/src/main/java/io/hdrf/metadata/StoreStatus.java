/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.metadata;

import io.hdrf.spi.store.StoreForeignException;

/** The status of a volume's store. Immutable. */
public final class StoreStatus {

  /** The states of a store. */
  public enum State {
    OPENING,
    COMPARING,
    IN_STEP,
    /** Works, but some records may be wrong, for a known reason. */
    NOT_IN_STEP,
    DOWN
  }

  private final State state;
  private final String detail;

  private StoreStatus(State state, String detail) {
    this.state = state;
    this.detail = detail;
  }

  static StoreStatus opening() {
    return new StoreStatus(State.OPENING, "being opened");
  }

  static StoreStatus comparing() {
    return new StoreStatus(State.COMPARING, "being compared");
  }

  static StoreStatus comparing(long blocks, long total) {
    return new StoreStatus(
        State.COMPARING, "being compared, " + blocks + " of " + total + " blocks");
  }

  static StoreStatus inStep() {
    return new StoreStatus(State.IN_STEP, "in step");
  }

  static StoreStatus notInStep(String why) {
    return new StoreStatus(State.NOT_IN_STEP, "not in step: " + why);
  }

  /** Returns the status of a store that another process uses; it is only read. */
  static StoreStatus leftAlone(StoreForeignException why, long lookSeconds) {
    return new StoreStatus(
        State.DOWN,
        "left alone: "
            + why.getMessage()
            + ". It is looked at again every "
            + lookSeconds
            + " s; no restart is needed");
  }

  static StoreStatus down(Throwable why) {
    String message = why.getMessage() == null ? why.toString() : why.getMessage();
    return new StoreStatus(State.DOWN, "down: " + message);
  }

  public State state() {
    return state;
  }

  /** Returns a few words for messages. */
  @Override
  public String toString() {
    return detail;
  }
}
