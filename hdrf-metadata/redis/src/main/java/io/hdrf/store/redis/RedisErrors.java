/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.redis;

import io.hdrf.spi.store.MetadataException;
import io.hdrf.spi.store.StoreCorruptException;
import io.hdrf.spi.store.StoreFullException;
import io.hdrf.spi.store.StoreUnreachableException;
import java.net.SocketTimeoutException;
import redis.clients.jedis.exceptions.JedisAccessControlException;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/** Translates failures of Redis for the user of a store. Immutable. */
final class RedisErrors {

  private static final String ABORTED = "EXECABORT Transaction discarded because of: ";

  private final RedisSettings settings;

  RedisErrors(RedisSettings settings) {
    this.settings = settings;
  }

  /**
   * Returns the store's exception.
   *
   * @param server the server that failed, for the message
   * @param outcomeUnknown whether changes may have been made
   */
  MetadataException translate(JedisException error, String server, boolean outcomeUnknown) {
    String unknown =
        outcomeUnknown ? "; it is not known whether the changes that were sent were made" : "";
    if (error instanceof JedisDataException) {
      return translate((JedisDataException) error, server + ": ", unknown);
    }
    return new StoreUnreachableException(server + describe(error) + unknown, error);
  }

  private MetadataException translate(JedisDataException error, String server, String unknown) {
    String message = String.valueOf(error.getMessage());
    String code = codeOf(message);
    switch (code) {
      case "OOM":
        return new StoreFullException(
            server + message + "; give Redis more memory (maxmemory)", error);
      case "MISCONF":
        return new StoreFullException(server + message, error);
      case "WRONGTYPE":
        return new StoreCorruptException(
            server + "a key of this store holds something else: " + message, error);
      default:
        return new StoreUnreachableException(
            server + message + hint(error, message) + unknown, error);
    }
  }

  private String hint(JedisDataException error, String message) {
    if (error instanceof JedisAccessControlException
        || message.startsWith("NOPERM")
        || message.contains("invalid password")
        || message.contains("AUTH ")) {
      return "; see "
          + settings.key(RedisSettings.USER)
          + " and "
          + settings.key(RedisSettings.PASSWORD)
          + " (in a credential provider)";
    }
    if (message.contains("DB index")) {
      return "; see " + settings.key(RedisSettings.DATABASE);
    }
    if (message.startsWith("MOVED ")) {
      return "; if it is part of a cluster, set "
          + settings.key(RedisSettings.CLUSTER_ADDRESSES)
          + ": a single server is not followed elsewhere";
    }
    if (message.startsWith("ASK ") || message.startsWith("TRYAGAIN")) {
      return "; the cluster is moving the store's slot to another node";
    }
    return "";
  }

  /**
   * Returns the first word, which names the kind of error; for a refused transaction, that of its
   * reason.
   */
  private static String codeOf(String message) {
    String reason = message.startsWith(ABORTED) ? message.substring(ABORTED.length()) : message;
    int space = reason.indexOf(' ');
    return space < 0 ? reason : reason.substring(0, space);
  }

  private String describe(JedisException error) {
    if (isTimeout(error)) {
      return " did not answer within " + settings.timeoutMillis() + " ms";
    }
    Throwable root = error;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return " can't be reached: "
        + (root.getMessage() == null ? root.toString() : root.getMessage());
  }

  /** Returns whether the server may be up but does not answer. */
  static boolean isTimeout(JedisException error) {
    if (!(error instanceof JedisConnectionException)) {
      return false;
    }
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      if (cause instanceof SocketTimeoutException) {
        return true;
      }
    }
    return false;
  }
}
