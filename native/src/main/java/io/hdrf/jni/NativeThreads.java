/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.jni;

/** Operations on threads that the operating system offers and Java does not. For all threads. */
public final class NativeThreads {

  private static final int MIN_NICE = -20;
  private static final int MAX_NICE = 19;

  private NativeThreads() {}

  /**
   * Sets the calling thread's nice value, so that background work yields the CPU to serving
   * threads. Best effort. Other threads keep their values, but threads started by this one inherit
   * its value, and without a privilege it can only be raised: call this from threads made for the
   * purpose.
   *
   * @param nice -20 (most favoured) to 19
   * @return whether the thread now has that value; false also without the native library
   * @throws IllegalArgumentException if {@code nice} is out of range
   */
  public static boolean setNice(int nice) {
    if (nice < MIN_NICE || nice > MAX_NICE) {
      throw new IllegalArgumentException(
          "nice value " + nice + " is not between " + MIN_NICE + " and " + MAX_NICE);
    }
    return NativeLibrary.isLoaded() && setNiceOfCaller(nice);
  }

  private static native boolean setNiceOfCaller(int nice);
}
