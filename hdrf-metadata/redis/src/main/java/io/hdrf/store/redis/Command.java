/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.redis;

import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol;

/** A command with its arguments, which are not copied. Immutable. */
final class Command {

  /** An upper bound of the bytes that the protocol adds to an argument. */
  private static final int FRAMING = 16;

  private final Protocol.Command name;
  private final byte[][] arguments;

  Command(Protocol.Command name, byte[]... arguments) {
    this.name = name;
    this.arguments = arguments;
  }

  /** Returns an upper bound of the bytes to send. */
  int length() {
    int length = 2 * FRAMING;
    for (byte[] argument : arguments) {
      length += FRAMING + argument.length;
    }
    return length;
  }

  CommandArguments toJedis() {
    CommandArguments all = new CommandArguments(name);
    for (byte[] argument : arguments) {
      all.add(argument);
    }
    return all;
  }
}
