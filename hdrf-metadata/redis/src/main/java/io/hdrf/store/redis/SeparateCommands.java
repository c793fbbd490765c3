/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.redis;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import redis.clients.jedis.exceptions.JedisMovedDataException;

/** Commands that are independent of each other. An executed command is not sent again. */
final class SeparateCommands implements Exchange {

  private final boolean changes;
  private final Object[] answers;
  private List<Command> pending;
  private int[] places;

  SeparateCommands(List<Command> commands, boolean changes) {
    this.changes = changes;
    this.pending = commands;
    this.answers = new Object[commands.size()];
    this.places = new int[commands.size()];
    Arrays.setAll(places, place -> place);
  }

  @Override
  public List<Object> on(Link link) {
    List<Command> movedCommands = new ArrayList<>();
    int[] movedPlaces = new int[pending.size()];
    JedisMovedDataException moved = null;
    int done = 0;
    for (List<Command> piece : Pipeline.split(pending)) {
      for (Object answer : link.exchange(piece, changes)) {
        if (answer instanceof JedisMovedDataException) {
          moved = (JedisMovedDataException) answer;
          movedPlaces[movedCommands.size()] = places[done];
          movedCommands.add(pending.get(done));
        }
        answers[places[done]] = answer;
        done++;
      }
    }
    pending = movedCommands;
    places = movedPlaces;
    if (moved != null) {
      throw moved;
    }
    List<Object> all = Arrays.asList(answers);
    Exchange.throwFirstError(all);
    return all;
  }
}
