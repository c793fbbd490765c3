/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.metadata;

import io.hdrf.spi.store.StoreForeignException;

/** How a volume's store does. Immutable. */
public final class StoreStatus {

  /** What a store can be up to. */
  public enum State {
    OPENING,
    COMPARING,
    IN_STEP,
    /** It works, but some records may be wrong, and it is known why. */
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

  static StoreStatus comparing(long blocks) {
    return new StoreStatus(State.COMPARING, "being compared, " + blocks + " blocks so far");
  }

  static StoreStatus inStep() {
    return new StoreStatus(State.IN_STEP, "in step");
  }

  static StoreStatus notInStep(String why) {
    return new StoreStatus(State.NOT_IN_STEP, "not in step: " + why);
  }

  /** A store that somebody else uses; it is only looked at. */
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

  /** A few words for people. */
  @Override
  public String toString() {
    return detail;
  }
}
