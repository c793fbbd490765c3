/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.scheme;

/**
 * A way to store blocks in fewer bytes, found by {@link java.util.ServiceLoader} in a plug-in jar.
 *
 * <p>An implementation is a {@link FrameScheme}, which turns one piece of data into a shorter one,
 * or a {@link BlockScheme}, which sees a whole block and may keep a store. It has a public
 * constructor without arguments, no state, and is safe for use by many threads.
 */
public interface ReductionScheme {

  /** The greatest {@link #id()}. */
  int MAX_ID = 0xFFFF;

  /** Ids up to this one are given out by HDRF; other authors take one above it. */
  int MAX_RESERVED_ID = 0x03FF;

  /**
   * The SPI that this scheme was compiled with. Every scheme returns {@link SpiVersion#CURRENT}:
   * the compiler copies the number, so that an old jar tells its age.
   */
  int spiVersion();

  /**
   * The name in {@code hdrf.schemes} and in messages: a lower-case letter, then up to 31 lower-case
   * letters, digits and hyphens. Settings of the scheme are the keys {@code hdrf.<name>.*}.
   */
  String name();

  /**
   * The number that is written into every block, from 1 to {@link #MAX_ID}. It is never reused: a
   * scheme whose encoded form changes, so that older versions can't read it or newer ones can't
   * read the older form, takes a new id and a new name.
   */
  int id();

  /**
   * The number of blocks that may be encoded, and of frames that may be decoded, at the same time
   * in one DataNode, at least 1. Both numbers may be reached at once. With the default value
   * nothing ever waits to be decoded.
   */
  default int maxConcurrentBlocks() {
    return Integer.MAX_VALUE;
  }
}
