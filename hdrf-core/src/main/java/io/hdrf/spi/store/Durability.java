/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.store;

/** What a write outlives once the call has returned, the weakest first. */
public enum Durability {
  /** Nothing that the store does not promise of its own accord. */
  BUFFERED,
  /** The end of the DataNode's process, however sudden. */
  PROCESS,
  /** A loss of power. */
  POWER
}
