/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.mirror;

/** What the lines of Hadoop have in different packages. */
public final class Protobuf {

  private Protobuf() {}

  /** Whether bytes were no message. */
  public static boolean isInvalid(Exception thrown) {
    return thrown.getClass().getSimpleName().equals("InvalidProtocolBufferException");
  }
}
