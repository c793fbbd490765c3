/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.redis;

import java.util.ArrayList;
import java.util.List;

/** Limits for the commands sent before their answers are read. */
final class Pipeline {

  static final int MAX_COMMANDS = 1000;

  /**
   * In bytes as sent; a longer command goes alone. The connection's send buffer holds this much.
   */
  static final int MAX_BYTES = 128 << 10;

  private Pipeline() {}

  /** Cuts commands into pieces within the limits, in their order. */
  static List<List<Command>> split(List<Command> commands) {
    List<List<Command>> pieces = new ArrayList<>();
    int from = 0;
    int length = 0;
    for (int i = 0; i < commands.size(); i++) {
      int next = commands.get(i).length();
      if (i > from && (i - from == MAX_COMMANDS || length + next > MAX_BYTES)) {
        pieces.add(commands.subList(from, i));
        from = i;
        length = 0;
      }
      length += next;
    }
    if (from < commands.size()) {
      pieces.add(commands.subList(from, commands.size()));
    }
    return pieces;
  }
}
