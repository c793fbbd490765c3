/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.redis;

import java.util.List;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.exceptions.JedisMovedDataException;

/** What a call does on a connection. For one thread. */
interface Exchange {

  /**
   * Sends commands and returns their answers, none of them an error.
   *
   * @throws JedisMovedDataException if it must be called again with a connection to another server
   * @throws JedisDataException the first error among the answers; the connection stays usable
   * @throws JedisException if the connection is to be closed
   */
  List<Object> on(Link link);

  /** Throws the first error among some answers. */
  static void throwFirstError(List<?> answers) {
    for (Object answer : answers) {
      if (answer instanceof JedisDataException) {
        throw (JedisDataException) answer;
      }
    }
  }
}
