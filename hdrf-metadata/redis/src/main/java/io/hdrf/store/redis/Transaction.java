/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.redis;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * Commands of which the server executes all or none. It queues them piece by piece; if the
 * connection is lost before the last piece, with {@code EXEC}, was sent, none is executed.
 */
final class Transaction implements Exchange {

  private static final Command MULTI = new Command(Protocol.Command.MULTI);
  private static final Command EXEC = new Command(Protocol.Command.EXEC);
  private static final Command DISCARD = new Command(Protocol.Command.DISCARD);

  private final int before;
  private final List<List<Command>> pieces;

  /**
   * @param before commands to execute before the others, each by itself; their answers are those of
   *     this exchange
   */
  Transaction(List<Command> before, List<Command> commands) {
    this.before = before.size();
    List<Command> all = new ArrayList<>(before);
    all.add(MULTI);
    all.addAll(commands);
    all.add(EXEC);
    this.pieces = Pipeline.split(all);
  }

  @Override
  public List<Object> on(Link link) {
    List<Object> answers = new ArrayList<>();
    for (int i = 0; i < pieces.size(); i++) {
      boolean last = i == pieces.size() - 1;
      answers.addAll(link.exchange(pieces.get(i), last));
      if (!last) {
        discardIfRefused(link, answers);
      }
    }
    Exchange.throwFirstError(answers);
    Object executed = answers.get(answers.size() - 1);
    if (!(executed instanceof List)) {
      throw new JedisDataException("EXEC was answered by " + executed);
    }
    Exchange.throwFirstError((List<?>) executed);
    return new ArrayList<>(answers.subList(0, before));
  }

  private static void discardIfRefused(Link link, List<Object> answers) {
    try {
      Exchange.throwFirstError(answers);
    } catch (JedisDataException e) {
      link.exchange(Collections.singletonList(DISCARD), false);
      throw e;
    }
  }
}
