/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.reduce;

import io.hdrf.conf.HdrfKeys;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.spi.scheme.ReductionScheme;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.conf.Configuration;

/**
 * Numbers that stand for all that decides, besides a block's content, whether it stays plain: its
 * chain, the builds of the schemes, and their settings. A block that stayed plain for its content
 * has to be looked at again only where the number is another one. Safe for use by many threads.
 */
public final class RulesDigest {

  /** Raise it when this class, or {@link ReductionRules}, decides otherwise with equal settings. */
  private static final int BUILD = 1;

  /** The settings of the Reducer, the filter, and the codecs of Hadoop that schemes wrap. */
  private static final List<String> SECTIONS =
      Arrays.asList(
          section(HdrfKeys.REDUCE_SECTION), section(HdrfKeys.FILTER_SECTION), "io.", "zlib.");

  private final SortedMap<String, String> settings = new TreeMap<>();
  private final ConcurrentHashMap<SchemeChain, Integer> known = new ConcurrentHashMap<>();

  /** Later changes of the configuration do not count. */
  public RulesDigest(Configuration configuration) {
    for (Map.Entry<String, String> entry : configuration) {
      settings.put(entry.getKey(), entry.getValue());
    }
  }

  private static String section(String name) {
    return HdrfKeys.PREFIX + name + ".";
  }

  /**
   * Returns the number for a chain: 24 bits of a SHA-256, so that of 16 million changes one goes
   * unnoticed.
   *
   * @return from 1 to 2^24 - 1
   */
  public int of(SchemeChain chain) {
    return known.computeIfAbsent(chain, this::digest);
  }

  private int digest(SchemeChain chain) {
    MessageDigest sha = sha256();
    update(sha, Integer.toString(BUILD));
    List<String> sections = new ArrayList<>(SECTIONS);
    for (ReductionScheme scheme : chain.schemes()) {
      update(sha, scheme.name());
      update(sha, String.valueOf(scheme.getClass().getPackage().getImplementationVersion()));
      sections.add(section(scheme.name()));
    }
    settings.forEach(
        (key, value) -> {
          if (sections.stream().anyMatch(key::startsWith)) {
            update(sha, key);
            update(sha, value);
          }
        });
    return Math.max(1, ByteBuffer.wrap(sha.digest()).getInt() >>> 8);
  }

  private static void update(MessageDigest sha, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    sha.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, bytes.length));
    sha.update(bytes);
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java has SHA-256", e);
    }
  }
}
