/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

import io.hdrf.scheme.SchemeChain;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.spi.BadSettingException;
import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.scheme.FrameChain;
import io.hdrf.spi.scheme.FrameCodec;
import io.hdrf.spi.scheme.FrameScheme;
import io.hdrf.spi.scheme.ReductionScheme;
import io.hdrf.spi.scheme.SchemeNotFoundException;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The chains of frame schemes that a DataNode uses on the wire, made when needed. Thread-safe. */
public final class WireChains implements Closeable {

  private static final Logger LOG = LoggerFactory.getLogger(WireChains.class);

  private final SchemeRegistry registry;
  private final Configuration configuration;
  private final Map<List<Integer>, FrameChain> chains = new HashMap<>();

  private final SortedSet<Integer> usable;

  /** Opens each scheme once: what does not open is not used. */
  public WireChains(SchemeRegistry registry, Configuration configuration) {
    this.registry = registry;
    this.configuration = configuration;
    SortedSet<Integer> ids = new TreeSet<>();
    for (String name : registry.names()) {
      try {
        ReductionScheme scheme = registry.byName(name);
        if (travels(scheme) && opens((FrameScheme) scheme)) {
          ids.add(scheme.id());
        }
      } catch (SchemeNotFoundException e) {
        throw new IllegalStateException(e);
      }
    }
    usable = Collections.unmodifiableSortedSet(ids);
  }

  private boolean opens(FrameScheme scheme) {
    try {
      registry.newCodec(scheme, configuration).close();
      return true;
    } catch (IOException | RuntimeException | Error e) {
      LOG.warn(
          "Other DataNodes send nothing that is encoded with the scheme {}, as it does not work here",
          scheme.name(),
          e);
      return false;
    }
  }

  /** The ids of the schemes that work here and whose frames can travel. */
  public SortedSet<Integer> usable() {
    return usable;
  }

  /**
   * The chain with these schemes.
   *
   * @throws CorruptWireException if there can be no such chain
   * @throws SchemeNotFoundException if a scheme is not installed
   */
  public synchronized FrameChain get(int[] ids) throws IOException {
    List<Integer> key = Arrays.stream(ids).boxed().collect(Collectors.toList());
    FrameChain chain = chains.get(key);
    if (chain == null) {
      chain = open(ids);
      chains.put(key, chain);
    }
    return chain;
  }

  private FrameChain open(int[] ids) throws IOException {
    if (ids.length == 0
        || ids.length > SchemeChain.MAX_LENGTH
        || Arrays.stream(ids).distinct().count() != ids.length) {
      throw new CorruptWireException("no chain can have the schemes " + Arrays.toString(ids));
    }
    List<FrameScheme> schemes = new ArrayList<>();
    for (int id : ids) {
      ReductionScheme scheme = registry.byId(id);
      if (!travels(scheme)) {
        throw new CorruptWireException("frames of scheme " + scheme.name() + " can't travel");
      }
      schemes.add((FrameScheme) scheme);
    }
    List<FrameCodec> codecs = new ArrayList<>();
    FrameChain chain = null;
    try {
      for (FrameScheme scheme : schemes) {
        codecs.add(registry.newCodec(scheme, configuration));
      }
      chain = new FrameChain(schemes, codecs, true);
      return chain;
    } finally {
      if (chain == null) {
        codecs.forEach(FrameCodec::close);
      }
    }
  }

  /**
   * Returns the number of bytes to which a frame decodes where blocks are reduced here with a chain
   * that {@link #travels}.
   *
   * @param chain not empty
   * @throws BadSettingException if a setting of its first scheme is wrong
   */
  public int frameLength(SchemeChain chain) throws BadSettingException {
    FrameScheme first = (FrameScheme) chain.schemes().get(0);
    return first.frameLength(new PluginSettings(configuration, first.name()));
  }

  /**
   * Returns whether frames of all schemes of a chain can travel; so they can where there is none.
   */
  public static boolean travels(SchemeChain chain) {
    return chain.schemes().stream().allMatch(WireChains::travels);
  }

  private static boolean travels(ReductionScheme scheme) {
    return scheme instanceof FrameScheme && ((FrameScheme) scheme).framesTravel();
  }

  @Override
  public synchronized void close() {
    chains.values().forEach(FrameChain::close);
    chains.clear();
  }
}
