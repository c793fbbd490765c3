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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;

/** The chains of frame schemes that a DataNode uses on the wire, made when needed. Thread-safe. */
public final class WireChains implements Closeable {

  private final SchemeRegistry registry;
  private final Configuration configuration;
  private final Map<List<Integer>, FrameChain> chains = new HashMap<>();

  public WireChains(SchemeRegistry registry, Configuration configuration) {
    this.registry = registry;
    this.configuration = configuration;
  }

  /** The ids of the installed frame schemes whose frames can travel. */
  public SortedSet<Integer> installed() {
    SortedSet<Integer> ids = new TreeSet<>();
    for (String name : registry.names()) {
      try {
        ReductionScheme scheme = registry.byName(name);
        if (travels(scheme)) {
          ids.add(scheme.id());
        }
      } catch (SchemeNotFoundException e) {
        throw new IllegalStateException(e);
      }
    }
    return ids;
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
