/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.scheme;

import io.hdrf.spi.BadSettingException;
import io.hdrf.spi.scheme.BlockScheme;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.FrameChain;
import io.hdrf.spi.scheme.FrameScheme;
import io.hdrf.spi.scheme.ReductionScheme;
import io.hdrf.spi.scheme.SchemeNotFoundException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;

/** The schemes that a block goes through, in order; possibly none. Immutable. */
public final class SchemeChain {

  /** The most schemes in a chain. */
  public static final int MAX_LENGTH = FrameChain.MAX_LENGTH;

  /** The name of the empty chain. */
  public static final String NONE = "none";

  private static final String RULES =
      "up to "
          + MAX_LENGTH
          + " different scheme names with commas between them, of which only the first may work on"
          + " whole blocks, or \""
          + NONE
          + "\"";

  private final List<ReductionScheme> schemes;

  private SchemeChain(List<ReductionScheme> schemes) {
    this.schemes = Collections.unmodifiableList(new ArrayList<>(schemes));
  }

  /**
   * Reads a chain from a configuration value such as {@code dedup,zstd}; empty or {@code none}
   * means no reduction.
   *
   * @param key the key that {@code value} belongs to, for messages
   * @throws BadSettingException if the schemes can't stand in a chain together
   * @throws SchemeNotFoundException if one of them is not installed
   */
  public static SchemeChain parse(String key, String value, SchemeRegistry registry)
      throws BadSettingException, SchemeNotFoundException {
    String list = value == null ? "" : value.trim();
    List<ReductionScheme> schemes = new ArrayList<>();
    if (!list.isEmpty() && !list.equals(NONE)) {
      for (String element : list.split(",", -1)) {
        String name = element.trim();
        if (name.isEmpty() || name.equals(NONE)) {
          throw new BadSettingException(key, value, RULES);
        }
        schemes.add(named(key, value, name, registry));
      }
    }
    if (!valid(schemes)) {
      throw new BadSettingException(key, value, RULES);
    }
    SchemeChain chain = new SchemeChain(schemes);
    if (chain.endsWithLengthKept()) {
      String last = schemes.get(schemes.size() - 1).name();
      throw new BadSettingException(
          key,
          value,
          "a chain with a scheme behind \""
              + last
              + "\", which does not make data shorter but prepares them for the next scheme, as in \""
              + last
              + ",zstd\"");
    }
    return chain;
  }

  /**
   * The chain that a block was stored with.
   *
   * @throws SchemeNotFoundException if one of the schemes is not installed
   * @throws CorruptFrameException if no chain can have these ids
   */
  public static SchemeChain ofIds(int[] ids, SchemeRegistry registry)
      throws SchemeNotFoundException, CorruptFrameException {
    List<ReductionScheme> schemes = new ArrayList<>();
    for (int id : ids) {
      schemes.add(registry.byId(id));
    }
    SchemeChain chain = new SchemeChain(schemes);
    if (!valid(schemes) || chain.endsWithLengthKept()) {
      throw new CorruptFrameException("no chain can be " + chain);
    }
    return chain;
  }

  private static ReductionScheme named(
      String key, String value, String name, SchemeRegistry registry)
      throws SchemeNotFoundException {
    try {
      return registry.byName(name);
    } catch (SchemeNotFoundException e) {
      throw new SchemeNotFoundException(key + " is \"" + value + "\", but " + e.getMessage());
    }
  }

  private static boolean valid(List<ReductionScheme> schemes) {
    return schemes.size() <= MAX_LENGTH
        && schemes.stream().map(ReductionScheme::id).distinct().count() == schemes.size()
        && schemes.stream().skip(1).allMatch(FrameScheme.class::isInstance);
  }

  private boolean endsWithLengthKept() {
    if (schemes.isEmpty()) {
      return false;
    }
    ReductionScheme last = schemes.get(schemes.size() - 1);
    return last instanceof FrameScheme && ((FrameScheme) last).keepsLength();
  }

  /** The schemes' ids in order. */
  public int[] ids() {
    return schemes.stream().mapToInt(ReductionScheme::id).toArray();
  }

  /** The schemes in order; unmodifiable. */
  public List<ReductionScheme> schemes() {
    return schemes;
  }

  /** Returns whether blocks stay as they are. */
  public boolean isEmpty() {
    return schemes.isEmpty();
  }

  /** Returns whether the content goes to a scheme's own store; see {@link BlockScheme}. */
  public boolean keepsContentInStore() {
    return schemes.stream()
        .anyMatch(s -> s instanceof BlockScheme && ((BlockScheme) s).keepsContentInStore());
  }

  /** Returns whether each frame can be decoded from its stored bytes alone, without any store. */
  public boolean isOfFrames() {
    return schemes.stream().allMatch(FrameScheme.class::isInstance);
  }

  /** The names with commas between them; {@code none} for the empty chain. */
  @Override
  public String toString() {
    return isEmpty()
        ? NONE
        : schemes.stream().map(ReductionScheme::name).collect(Collectors.joining(","));
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SchemeChain && schemes.equals(((SchemeChain) other).schemes);
  }

  @Override
  public int hashCode() {
    return schemes.hashCode();
  }
}
