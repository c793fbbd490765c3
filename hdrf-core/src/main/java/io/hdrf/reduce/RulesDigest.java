/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.reduce;

import io.hdrf.conf.HdrfKeys;
import io.hdrf.metadata.BlockRecord;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.spi.scheme.BlockScheme;
import io.hdrf.spi.scheme.ReductionScheme;
import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.security.CodeSource;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.apache.hadoop.conf.Configuration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Numbers that stand for all that decides, besides a block's content, whether it stays plain: its
 * chain, the builds of the schemes, and their settings. A block that stayed plain for its content
 * has to be looked at again only where the number is another one. Safe for use by many threads.
 */
public final class RulesDigest {

  private static final Logger LOG = LoggerFactory.getLogger(RulesDigest.class);

  /** The settings of the Reducer, the filter, and the codecs of Hadoop that schemes wrap. */
  private static final List<String> SECTIONS =
      Arrays.asList(
          section(HdrfKeys.REDUCE_SECTION), section(HdrfKeys.FILTER_SECTION), "io.", "zlib.");

  private final SortedMap<String, String> settings = new TreeMap<>();
  private final ConcurrentHashMap<SchemeChain, Integer> known = new ConcurrentHashMap<>();

  /** Later changes of the configuration do not count. */
  public RulesDigest(Configuration configuration) {
    for (Map.Entry<String, String> entry : configuration) {
      settings.put(entry.getKey(), value(configuration, entry));
    }
  }

  /** As schemes and filter get it, with the values of variables. */
  private static String value(Configuration configuration, Map.Entry<String, String> entry) {
    String raw = entry.getValue();
    if (!raw.contains("${")) {
      return raw;
    }
    try {
      return String.valueOf(configuration.get(entry.getKey()));
    } catch (IllegalStateException e) {
      LOG.debug("{} can't be expanded", entry.getKey(), e);
      return raw;
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

  /**
   * Returns the number for a chain where it decides, together with the block's content, that a
   * block stays plain for a reason.
   *
   * @return {@link BlockRecord#NO_RULES} if something else decides, too: what a scheme with a store
   *     declines now it may take when it has stored more
   */
  public int of(SchemeChain chain, SkipReason reason) {
    boolean tried = reason == SkipReason.DECLINED || reason == SkipReason.INCOMPRESSIBLE;
    return reason.isByContent() && !(tried && chain.schemes().get(0) instanceof BlockScheme)
        ? of(chain)
        : BlockRecord.NO_RULES;
  }

  private int digest(SchemeChain chain) {
    MessageDigest sha = sha256();
    updateBuild(sha, RulesDigest.class);
    List<String> sections = new ArrayList<>(SECTIONS);
    for (ReductionScheme scheme : chain.schemes()) {
      update(sha, scheme.name());
      updateBuild(sha, scheme.getClass());
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

  /** By what is in its jar: a manifest need not name a version, and a snapshot's stays the same. */
  private static void updateBuild(MessageDigest sha, Class<?> type) {
    CodeSource source = type.getProtectionDomain().getCodeSource();
    URL location = source == null ? null : source.getLocation();
    if (location == null) {
      return;
    }
    Path jar;
    try {
      jar = Paths.get(location.toURI());
      if (Files.isDirectory(jar)) {
        update(sha, Files.getLastModifiedTime(jar).toString());
        return;
      }
    } catch (IOException | URISyntaxException | RuntimeException e) {
      LOG.debug("{} is no file", location, e);
      update(sha, location.toString());
      return;
    }
    try (ZipFile content = new ZipFile(jar.toFile())) {
      content.stream()
          .filter(entry -> !entry.isDirectory())
          .sorted(Comparator.comparing(ZipEntry::getName))
          .forEach(entry -> update(sha, entry.getName() + ' ' + entry.getCrc()));
    } catch (IOException e) {
      LOG.debug("{} is no jar", location, e);
      update(sha, location.toString());
    }
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
