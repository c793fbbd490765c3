/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.conf;

/** Names of the configuration keys; {@code conf/hdrf-default.xml} describes them. */
public final class HdrfKeys {
  public static final String PREFIX = "hdrf.";

  public static final String SCHEMES = "hdrf.schemes";
  public static final String PLUGINS_DIR = "hdrf.plugins.dir";
  public static final String MEMORY = "hdrf.memory";

  /** The untested versions of Hadoop that are accepted, separated by commas. */
  public static final String HADOOP_UNTESTED = "hdrf.hadoop.untested.version";

  public static final String REDUCE_SECTION = "reduce";
  public static final String REDUCE_THREADS = "threads";
  public static final String REDUCE_QUEUE_LENGTH = "queue.length";
  public static final String REDUCE_MIN_BLOCK_SIZE = "min.block.size";
  public static final String REDUCE_NICE = "nice";
  public static final String REDUCE_DELAY = "delay";
  public static final String REDUCE_SCAN_INTERVAL = "scan.interval";
  public static final String REDUCE_EXISTING = "hdrf.reduce.existing";
  public static final String REDUCE_DURING_UPGRADE = "during.upgrade";

  public static final String FILTER_SECTION = "filter";

  public static final String READ_SECTION = "read";
  public static final String READ_CACHE_SIZE = "cache.size";
  public static final String READ_AHEAD_THREADS = "ahead.threads";
  public static final String READ_SHORT_CIRCUIT_PASS = "short-circuit.pass";
  public static final String READ_SHORT_CIRCUIT_DECLINE = "hdrf.read.short-circuit.decline";

  public static final String MIRROR_SECTION = "mirror";
  public static final String MIRROR_SCHEME = "hdrf.mirror.scheme";
  public static final String MIRROR_ENABLED = "enabled";
  public static final String MIRROR_REFERENCES = "references";
  public static final String MIRROR_SEND_CHECKSUMS = "send.checksums";
  public static final String MIRROR_RECEIVE_MEMORY = "receive.memory";
  public static final String MIRROR_PEER_EXPIRY = "peer.expiry";
  public static final String MIRROR_PROBE_TIMEOUT = "probe.timeout";
  public static final String MIRROR_ANSWER_TIMEOUT = "answer.timeout";

  public static final String METADATA_SECTION = "metadata";
  public static final String METADATA_STORE = "hdrf.metadata.store";
  public static final String METADATA_ON_FAILURE = "hdrf.metadata.on-failure";
  public static final String METADATA_FAILURE_GRACE = "failure.grace";
  public static final String METADATA_FLUSH_INTERVAL = "flush.interval";
  public static final String METADATA_CHECK_INTERVAL = "check.interval";
  public static final String METADATA_MAX_PENDING = "max.pending";

  private HdrfKeys() {}

  /** Returns the key with the chain for one storage type, such as {@code hdrf.schemes.ARCHIVE}. */
  public static String schemesOf(String storageType) {
    return SCHEMES + "." + storageType;
  }
}
