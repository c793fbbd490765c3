/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.scheme;

import io.hdrf.spi.BadSettingException;
import io.hdrf.spi.PluginSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/**
 * A scheme that sees a block as a whole, as a stream or (by {@link ArrayBlockCodec}) as one array,
 * cuts it into frames as it likes, and may keep a store on every volume. It is the first of its
 * chain: it sees the original data, and the schemes after it see what it emits.
 */
public interface BlockScheme extends ReductionScheme {

  /**
   * Opens the scheme on one volume and block pool, once for as long as that pool is in service
   * there.
   *
   * @throws BadSettingException if one of the scheme's settings is wrong
   * @throws IOException if the scheme's store can't be opened; the volume is then not started
   */
  BlockCodec open(SchemeContext context) throws IOException;

  /**
   * Returns whether the content goes to the scheme's own store, so that the size of a block's file
   * says nothing of what was saved. Such a scheme stores every block that is long enough, whether
   * or not this very block becomes smaller: otherwise the second copy of a block would find
   * nothing.
   */
  default boolean keepsContentInStore() {
    return false;
  }

  /**
   * Returns whether the schemes that follow in the chain encode each frame that this one emits. A
   * scheme that returns false applies the tail that {@link BlockCodec#encode} gets to what it
   * stores by itself.
   */
  default boolean framesPassTail() {
    return true;
  }

  /**
   * Returns whether something in the scheme's store on a volume may need a frame scheme to be read.
   * Blocks can refer to what earlier chains stored, so that their own chains don't tell. Asked
   * while the store is not open, and only where that frame scheme, or what it needs, is missing.
   * Changes nothing.
   *
   * @param storeDirectory the store's directory, which exists
   * @param frameSchemeId the frame scheme's {@link ReductionScheme#id}
   * @return true where it is not known: then the volume does not start as long as the frame scheme
   *     is missing and blocks of this scheme are there
   * @throws IOException if the store can't be looked at; the volume is then not started
   */
  default boolean storeMayNeed(Path storeDirectory, int frameSchemeId) throws IOException {
    return !framesPassTail();
  }

  /**
   * The function that cuts and names chunks, if other DataNodes may ask for chunks by their names;
   * see {@link BlockCodec#newChunkLookup}.
   *
   * @return null if they may not
   * @throws BadSettingException if one of the scheme's settings is wrong
   */
  default ChunkFunction chunkFunction(PluginSettings settings) throws BadSettingException {
    return null;
  }

  /**
   * Tells people what a file of the scheme's store holds. Needs nothing but the file, which may be
   * in use or a copy elsewhere, and changes nothing.
   *
   * @param lists whether what may be long is wanted, too
   * @param facts receives names and values in the order to be shown, as far as they are known even
   *     where this fails: text, numbers, lists of text, ids of schemes as {@code int[]}, and lists
   *     of maps of such names and values, which may be made while they are read
   * @return false if it is none of the scheme's files; then {@code facts} gets nothing
   * @throws io.hdrf.spi.io.CorruptFileException if anything in the file is damaged
   * @throws io.hdrf.spi.io.UnknownFormatVersionException if a later version of the scheme wrote it
   */
  default boolean inspectStore(Path file, boolean lists, Map<String, Object> facts)
      throws IOException {
    return false;
  }

  /**
   * Tells people what the payloads of one block refer to in the scheme's store, which is not looked
   * at.
   *
   * @param payloads shows the block's frames in their order
   * @param lists as for {@link #inspectStore}
   * @param facts as for {@link #inspectStore}
   * @throws CorruptFrameException if a payload is not what {@link BlockCodec#encode} emitted
   */
  default void inspectPayloads(StoredPayloads payloads, boolean lists, Map<String, Object> facts)
      throws IOException {}
}
