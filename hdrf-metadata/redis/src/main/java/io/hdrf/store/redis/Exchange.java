/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.redis;

import java.util.List;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.exceptions.JedisMovedDataException;

/** The work of a call on a connection. For one thread. */
interface Exchange {

  /**
   * Sends commands and returns their answers, none of them an error.
   *
   * @throws JedisMovedDataException if the caller must call this again with a connection to another
   *     server
   * @throws JedisDataException the first error among the answers; the connection stays usable
   * @throws JedisException if the caller must close the connection
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
