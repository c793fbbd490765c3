/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.store;

/** The events that a write survives once the call has returned, the weakest level first. */
public enum Durability {
  /** Only what the store promises by itself. */
  BUFFERED,
  /** The end of the DataNode's process, however sudden. */
  PROCESS,
  /** A loss of power. */
  POWER
}
