/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.scheme;

import io.hdrf.plugin.PluginLoadException;
import io.hdrf.plugin.PluginLoader;
import io.hdrf.spi.BadSettingException;
import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.scheme.BlockScheme;
import io.hdrf.spi.scheme.FrameCodec;
import io.hdrf.spi.scheme.FrameScheme;
import io.hdrf.spi.scheme.ReductionScheme;
import io.hdrf.spi.scheme.SchemeNotFoundException;
import io.hdrf.spi.scheme.SpiVersion;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;

/**
 * The installed schemes, by name and by id, and the turns of those that limit the blocks in
 * process. The schemes never change; thread-safe.
 */
public final class SchemeRegistry {

  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,31}");

  /** An HDRF that knows older versions alone takes such frames for damaged. */
  private static final int FIRST_WITH_KEEPS_LENGTH = 3;

  /** Words that stand for something else in {@code hdrf.<word>.*} or in a chain. */
  private static final Set<String> RESERVED =
      Collections.unmodifiableSet(
          new HashSet<>(
              Arrays.asList(
                  "none",
                  "schemes",
                  "plugins",
                  "hadoop",
                  "reduce",
                  "filter",
                  "read",
                  "metadata",
                  "mirror")));

  private final String where;
  private final Map<String, ReductionScheme> byName = new TreeMap<>();
  private final Map<Integer, ReductionScheme> byId = new TreeMap<>();
  private final Map<ReductionScheme, String> origins;
  private final Map<String, SchemeLimit> limits = new HashMap<>();

  /**
   * @param origins where each scheme came from, for messages
   * @param where where all of them were looked for, to follow "installed"
   */
  private SchemeRegistry(Map<ReductionScheme, String> origins, String where)
      throws PluginLoadException {
    this.origins = origins;
    this.where = where;
    for (ReductionScheme scheme : origins.keySet()) {
      add(scheme);
    }
  }

  /**
   * Loads all schemes from the jars of a plug-in directory; see {@link PluginLoader}.
   *
   * @throws BadSettingException if it is missing or not readable
   * @throws PluginLoadException if one of its jars can't be used; the message names it
   */
  public static SchemeRegistry load(Path pluginsDirectory) throws IOException {
    return new SchemeRegistry(
        PluginLoader.load(pluginsDirectory, ReductionScheme.class), "in " + pluginsDirectory);
  }

  /**
   * A registry of schemes that need no loading, possibly of none.
   *
   * @throws PluginLoadException if one is no valid scheme, or two have one name or one id
   */
  public static SchemeRegistry of(Collection<? extends ReductionScheme> schemes)
      throws PluginLoadException {
    Map<ReductionScheme, String> origins = new LinkedHashMap<>();
    for (ReductionScheme scheme : schemes) {
      origins.put(scheme, scheme.getClass().getName());
    }
    return new SchemeRegistry(origins, "in this process");
  }

  /**
   * The scheme of that name.
   *
   * @throws SchemeNotFoundException if there is none; the message tells what is installed and where
   */
  public ReductionScheme byName(String name) throws SchemeNotFoundException {
    ReductionScheme scheme = byName.get(name);
    if (scheme == null) {
      throw new SchemeNotFoundException("there is no scheme \"" + name + "\"; " + installed());
    }
    return scheme;
  }

  /**
   * The scheme with that id.
   *
   * @throws SchemeNotFoundException if there is none; the message tells what is installed and where
   */
  public ReductionScheme byId(int id) throws SchemeNotFoundException {
    ReductionScheme scheme = byId.get(id);
    if (scheme == null) {
      throw new SchemeNotFoundException("there is no scheme with id " + id + "; " + installed());
    }
    return scheme;
  }

  /** The schemes' names in alphabetical order; unmodifiable. */
  public Set<String> names() {
    return Collections.unmodifiableSet(byName.keySet());
  }

  /**
   * Opens a frame scheme. All codecs that this returns for a scheme together decode no more frames
   * at once than it allows.
   *
   * @throws BadSettingException if a setting of the scheme is wrong
   */
  public FrameCodec newCodec(FrameScheme scheme, Configuration configuration) throws IOException {
    SchemeLimit limit = decodeLimit(scheme, configuration);
    FrameCodec codec = scheme.newCodec(new PluginSettings(configuration, scheme.name()));
    return limit == null ? codec : new LimitedFrameCodec(codec, limit);
  }

  /** The turns to decode with a scheme, the same ones for each caller; null if it has no limit. */
  SchemeLimit decodeLimit(ReductionScheme scheme, Configuration configuration)
      throws BadSettingException {
    if (!SchemeLimit.appliesTo(scheme)) {
      return null;
    }
    synchronized (limits) {
      SchemeLimit limit = limits.get(scheme.name());
      if (limit == null) {
        limit = SchemeLimit.of(scheme, configuration);
        limits.put(scheme.name(), limit);
      }
      return limit;
    }
  }

  /**
   * Returns the number of blocks that a scheme may encode at the same time, at least 1: the lower
   * one of its own limit and {@code hdrf.<scheme>.max.blocks}. As many frames are decoded at the
   * same time with a scheme that has a limit of its own.
   *
   * @throws BadSettingException if that key has a wrong value
   */
  public static int maxBlocks(ReductionScheme scheme, Configuration configuration)
      throws BadSettingException {
    return SchemeLimit.blocks(scheme, configuration);
  }

  /** The installed schemes and their places, for messages. */
  private String installed() {
    StringBuilder text = new StringBuilder("installed ").append(where).append(": ");
    if (byName.isEmpty()) {
      return text.append("none").toString();
    }
    String separator = "";
    for (ReductionScheme scheme : byName.values()) {
      text.append(separator).append(scheme.name()).append(" (id ").append(scheme.id()).append(')');
      separator = ", ";
    }
    return text.toString();
  }

  private void add(ReductionScheme scheme) throws PluginLoadException {
    String origin = origins.get(scheme);
    try {
      checkVersion(scheme, origin);
      check(scheme, origin);
    } catch (AbstractMethodError e) {
      throw new PluginLoadException(
          origin
              + " was built for another version of the scheme SPI than "
              + SpiVersion.CURRENT
              + ", which this HDRF has",
          e);
    } catch (LinkageError | RuntimeException e) {
      throw new PluginLoadException(origin + " can't tell its name and id: " + e, e);
    }
    ReductionScheme other = byName.putIfAbsent(scheme.name(), scheme);
    if (other != null) {
      throw new PluginLoadException(
          "two schemes are named " + scheme.name() + ": " + origins.get(other) + " and " + origin);
    }
    other = byId.putIfAbsent(scheme.id(), scheme);
    if (other != null) {
      throw new PluginLoadException(
          String.format(
              "two schemes have the id %d: %s of %s and %s of %s",
              scheme.id(), other.name(), origins.get(other), scheme.name(), origin));
    }
  }

  private static void checkVersion(ReductionScheme scheme, String origin)
      throws PluginLoadException {
    int version = scheme.spiVersion();
    if (version < SpiVersion.OLDEST || version > SpiVersion.CURRENT) {
      throw new PluginLoadException(
          String.format(
              "%s was built for version %d of the scheme SPI; this HDRF has version %d",
              origin, version, SpiVersion.CURRENT));
    }
    if (version < FIRST_WITH_KEEPS_LENGTH
        && scheme instanceof FrameScheme
        && ((FrameScheme) scheme).keepsLength()) {
      throw new PluginLoadException(
          String.format(
              "%s keeps the length, which version %d of the scheme SPI does not know; its"
                  + " spiVersion() has to be %d",
              origin, version, FIRST_WITH_KEEPS_LENGTH));
    }
  }

  private static void check(ReductionScheme scheme, String origin) throws PluginLoadException {
    String name = scheme.name();
    if (name == null || !NAME.matcher(name).matches() || RESERVED.contains(name)) {
      throw new PluginLoadException(
          String.format(
              "%s names its scheme \"%s\"; a name is a lower-case letter, then up to 31 lower-case"
                  + " letters, digits and hyphens, and none of %s",
              origin, name, RESERVED));
    }
    int id = scheme.id();
    if (id < 1 || id > ReductionScheme.MAX_ID) {
      throw new PluginLoadException(
          String.format(
              "scheme %s of %s has the id %d; ids go from 1 to %d",
              name, origin, id, ReductionScheme.MAX_ID));
    }
    if (scheme.maxConcurrentBlocks() < 1) {
      throw new PluginLoadException(
          String.format(
              "scheme %s of %s allows %d blocks at a time; at least 1 is needed",
              name, origin, scheme.maxConcurrentBlocks()));
    }
    if (scheme instanceof FrameScheme == scheme instanceof BlockScheme) {
      throw new PluginLoadException(
          String.format(
              "scheme %s of %s must be either a FrameScheme or a BlockScheme", name, origin));
    }
  }
}
