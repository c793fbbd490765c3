/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hdrf.admin.BlockSum;
import java.util.List;

/**
 * What blocks take: their files, and what HDRF's stores hold for them.
 *
 * @param storeBytes what of the stores belongs to them
 */
record Space(BlockSum blocks, long storeBytes) {
  static final Space NONE = new Space(BlockSum.NONE, 0);

  /** The heads of {@link #cells}. */
  static final List<String> HEADS =
      List.of("blocks", "logical", "block files", "stores", "takes", "ratio");

  Space plus(Space other) {
    return new Space(blocks.plus(other.blocks), storeBytes + other.storeBytes);
  }

  /** Returns all bytes that are stored. */
  long takes() {
    return blocks.fileBytes() + storeBytes;
  }

  /** Returns the bytes that need not be stored; less than 0 if HDRF takes more than it saves. */
  long saved() {
    return blocks.logicalBytes() - takes();
  }

  /** Returns the share of the logical bytes that is stored, for people. */
  String ratio() {
    return blocks.logicalBytes() == 0
        ? "-"
        : Sizes.percent((double) takes() / blocks.logicalBytes());
  }

  List<String> cells() {
    return List.of(
        Long.toString(blocks.blocks()),
        Sizes.bytes(blocks.logicalBytes()),
        Sizes.bytes(blocks.fileBytes()),
        Sizes.bytes(storeBytes),
        Sizes.bytes(takes()),
        ratio());
  }

  /** Adds the figures to an object. */
  ObjectNode putTo(ObjectNode node) {
    return node.put("blocks", blocks.blocks())
        .put("logicalBytes", blocks.logicalBytes())
        .put("blockFileBytes", blocks.fileBytes())
        .put("storeBytes", storeBytes)
        .put("physicalBytes", takes())
        .put("savedBytes", saved());
  }
}
