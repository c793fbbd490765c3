/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.conf;

import io.hdrf.spi.BadSettingException;
import io.hdrf.spi.PluginSettings;
import org.apache.hadoop.conf.Configuration;

/**
 * The settings for blocks that travel between DataNodes: the keys {@code hdrf.mirror.*}. Immutable.
 */
public final class MirrorSettings {

  /** The value of {@code hdrf.mirror.scheme} that stands for each block's own chain. */
  public static final String OWN_CHAIN = "chain";

  private static final String AUTO = "auto";

  private final boolean enabled;
  private final boolean automatic;
  private final boolean references;
  private final boolean sendChecksums;
  private final String scheme;
  private final long receiveMemory;
  private final int peerExpirySeconds;
  private final int probeTimeoutMillis;
  private final int answerTimeoutMillis;

  /**
   * @throws BadSettingException names the key, its value and what is accepted
   */
  public MirrorSettings(Configuration configuration) throws BadSettingException {
    PluginSettings settings = new PluginSettings(configuration, HdrfKeys.MIRROR_SECTION);
    String enabling = settings.getString(HdrfKeys.MIRROR_ENABLED, AUTO);
    automatic = enabling.isEmpty() || enabling.equalsIgnoreCase(AUTO);
    enabled = automatic || isTrue(settings, enabling);
    references = settings.getBoolean(HdrfKeys.MIRROR_REFERENCES, true);
    sendChecksums = settings.getBoolean(HdrfKeys.MIRROR_SEND_CHECKSUMS, false);
    scheme = configuration.getTrimmed(HdrfKeys.MIRROR_SCHEME, OWN_CHAIN);
    receiveMemory =
        settings.getLongSize(HdrfKeys.MIRROR_RECEIVE_MEMORY, 256L << 20, 1 << 20, 1L << 40);
    peerExpirySeconds = settings.getInt(HdrfKeys.MIRROR_PEER_EXPIRY, 600, 1, 24 * 3600);
    answerTimeoutMillis = settings.getInt(HdrfKeys.MIRROR_ANSWER_TIMEOUT, 50, 1, 10_000);
    probeTimeoutMillis = settings.getInt(HdrfKeys.MIRROR_PROBE_TIMEOUT, 3000, 10, 60_000);
  }

  private static boolean isTrue(PluginSettings settings, String value) throws BadSettingException {
    if (value.equalsIgnoreCase("true") || value.equalsIgnoreCase("false")) {
      return Boolean.parseBoolean(value);
    }
    throw new BadSettingException(
        settings.key(HdrfKeys.MIRROR_ENABLED), value, AUTO + ", true or false");
  }

  /** Returns whether blocks are sent to, and accepted from, other DataNodes as frames. */
  public boolean isEnabled() {
    return enabled;
  }

  /** Returns whether blocks that are sent so go plain to peers where that is faster or cheaper. */
  public boolean isAutomatic() {
    return automatic;
  }

  /** Returns whether chunks that the receiver already has are sent by reference. */
  public boolean references() {
    return references;
  }

  /** Returns whether checksums are sent although the receiver could compute them itself. */
  public boolean sendsChecksums() {
    return sendChecksums;
  }

  /** Returns {@link #OWN_CHAIN}, or the chain for the wire as it stands in the configuration. */
  public String scheme() {
    return scheme;
  }

  /** Returns the bytes of memory into which all connections together receive frames. */
  public long receiveMemory() {
    return receiveMemory;
  }

  /** Returns the time for which a peer's capabilities are remembered. */
  public int peerExpirySeconds() {
    return peerExpirySeconds;
  }

  /** Returns the time that a peer may take to report its capabilities. */
  public int probeTimeoutMillis() {
    return probeTimeoutMillis;
  }

  /** Returns the time that a packet waits for the peer's answer, which of its chunks it has. */
  public int answerTimeoutMillis() {
    return answerTimeoutMillis;
  }
}
