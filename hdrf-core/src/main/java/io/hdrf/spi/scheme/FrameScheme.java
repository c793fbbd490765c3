/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.scheme;

import io.hdrf.spi.BadSettingException;
import io.hdrf.spi.PluginSettings;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.Set;

/**
 * A scheme that turns one frame into a shorter one, or into one that later schemes can make
 * shorter, and knows nothing of the frames before it. It may stand anywhere in a chain: it sees
 * either the original data or what the scheme before it made of them.
 */
public interface FrameScheme extends ReductionScheme {

  /**
   * The most bytes by which the encoded form of a scheme that {@link #keepsLength} is longer than
   * the frame: room for what its decoder must know.
   */
  int MAX_HEADER = 16;

  /**
   * The original length of a frame where this scheme is the first of its chain, in bytes from 1 to
   * {@link FrameCodec#MAX_FRAME_LENGTH}. Longer frames save more, shorter ones make positional
   * reads cheaper. A scheme that wants the whole block as one array returns {@link
   * FrameCodec#MAX_FRAME_LENGTH}.
   *
   * @throws BadSettingException if one of the scheme's settings is wrong
   */
  int frameLength(PluginSettings settings) throws BadSettingException;

  /**
   * Makes a codec with the given settings. Decoding must not depend on them: a frame stays readable
   * after its settings were changed.
   *
   * @throws BadSettingException if one of the scheme's settings is wrong
   */
  FrameCodec newCodec(PluginSettings settings) throws IOException;

  /**
   * Returns whether the encoded form is as long as the frame, but for a header of up to {@link
   * #MAX_HEADER} bytes: the scheme only prepares data for the next one, as by a transposition or by
   * differences. It can't be the last of its chain. Each frame goes through the schemes behind it
   * both with it and without it, and the shorter result is kept.
   */
  default boolean keepsLength() {
    return false;
  }

  /**
   * Returns whether every DataNode on which this scheme is installed can decode its frames, so that
   * they may be sent there. A scheme that needs more than its own jar returns false.
   */
  default boolean framesTravel() {
    return true;
  }

  /**
   * The things besides this scheme without which frames encoded with these settings can't be
   * decoded, such as a class that is not in its jar. It is recorded on a volume before the first
   * block that needs it.
   *
   * @return names of 1 to 255 letters, digits, dots, hyphens, dollars and underscores, none of
   *     which begins with a dot
   */
  default Set<String> needs(PluginSettings settings) {
    return Collections.emptySet();
  }

  /**
   * Called at start with each name that {@link #needs(PluginSettings)} ever returned for blocks of
   * a volume.
   *
   * @throws IOException says what is missing, to follow "there are blocks that need it: "; the
   *     volume is then not started if such blocks are still there
   */
  default void requireNeed(String need, PluginSettings settings) throws IOException {}

  /**
   * Returns whether a frame can't be decoded without the need.
   *
   * @param need a name that {@link #needs(PluginSettings)} returned
   * @param encoded what {@link FrameCodec#encode} wrote, possibly damaged; not changed
   */
  default boolean needs(String need, ByteBuffer encoded) {
    return true;
  }
}
