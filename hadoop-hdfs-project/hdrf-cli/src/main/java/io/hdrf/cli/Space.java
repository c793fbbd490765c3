/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hdrf.admin.BlockSum;
import io.hdrf.html.Page;
import java.util.List;
import java.util.OptionalLong;

/**
 * What blocks take: their files, and what HDRF's stores hold for them.
 *
 * @param stores the bytes of the stores that belong to them; empty if that is not known
 */
record Space(BlockSum blocks, OptionalLong stores) {
  static final Space NONE = new Space(BlockSum.NONE, 0);

  /** What stands for a number that is not known. */
  static final String UNKNOWN = "?";

  /** The heads of {@link #cells}. */
  static final List<String> HEADS =
      List.of("blocks", "logical", "block files", "stores", "takes", "ratio");

  Space(BlockSum blocks, long storeBytes) {
    this(blocks, OptionalLong.of(storeBytes));
  }

  Space plus(Space other) {
    return new Space(
        blocks.plus(other.blocks),
        stores.isPresent() && other.stores.isPresent()
            ? OptionalLong.of(stores.getAsLong() + other.stores.getAsLong())
            : OptionalLong.empty());
  }

  private boolean isKnown() {
    return stores.isPresent();
  }

  /** All bytes that are stored. */
  private long takes() {
    return blocks.fileBytes() + stores.getAsLong();
  }

  /** The bytes that need not be stored; less than 0 if HDRF takes more than it saves. */
  private long saved() {
    return blocks.logicalBytes() - takes();
  }

  /** Returns all bytes that are stored, for people. */
  String taken() {
    return isKnown() ? Sizes.bytes(takes()) : UNKNOWN;
  }

  /** Returns the share of the logical bytes that is stored, for people. */
  String ratio() {
    if (!isKnown()) {
      return UNKNOWN;
    }
    return blocks.logicalBytes() == 0
        ? "-"
        : Sizes.percent((double) takes() / blocks.logicalBytes());
  }

  /** Returns the share of the logical bytes that is stored, drawn; nothing if it is not known. */
  Page.Bar bar() {
    return new Page.Bar(isKnown() ? takes() : 0, blocks.logicalBytes());
  }

  /** Returns all of it in words. */
  String sentence(String things) {
    return blocks.blocks()
        + " "
        + things
        + " of "
        + Sizes.bytes(blocks.logicalBytes())
        + " take "
        + taken()
        + " ("
        + ratio()
        + "); saved: "
        + (isKnown() ? Sizes.bytes(saved()) : UNKNOWN);
  }

  List<String> cells() {
    return List.of(
        Long.toString(blocks.blocks()),
        Sizes.bytes(blocks.logicalBytes()),
        Sizes.bytes(blocks.fileBytes()),
        isKnown() ? Sizes.bytes(stores.getAsLong()) : UNKNOWN,
        taken(),
        ratio());
  }

  /** Adds the figures to an object. */
  ObjectNode putTo(ObjectNode node) {
    return node.put("blocks", blocks.blocks())
        .put("logicalBytes", blocks.logicalBytes())
        .put("blockFileBytes", blocks.fileBytes())
        .put("storeBytes", isKnown() ? (Long) stores.getAsLong() : null)
        .put("physicalBytes", isKnown() ? (Long) takes() : null)
        .put("savedBytes", isKnown() ? (Long) saved() : null);
  }

  /** Adds the same fields where nothing is known. */
  static ObjectNode putUnknownTo(ObjectNode node) {
    for (String name :
        List.of(
            "blocks",
            "logicalBytes",
            "blockFileBytes",
            "storeBytes",
            "physicalBytes",
            "savedBytes")) {
      node.putNull(name);
    }
    return node;
  }
}
