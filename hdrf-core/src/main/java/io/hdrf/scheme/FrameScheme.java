/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.scheme;

import java.io.IOException;

/**
 * A scheme that turns one frame into a shorter one and knows nothing of the frames before it. It
 * may stand anywhere in a chain: it sees either the original data or what the scheme before it made
 * of them.
 */
public interface FrameScheme extends ReductionScheme {

  /**
   * How much original data goes into one frame where this scheme is the first of its chain, in
   * bytes from 1 to {@link FrameCodec#MAX_FRAME_LENGTH}. Longer frames save more, shorter ones make
   * positional reads cheaper. A scheme that wants the whole block as one array returns {@link
   * FrameCodec#MAX_FRAME_LENGTH}.
   *
   * @throws BadSettingException if one of the scheme's settings is wrong
   */
  int frameLength(SchemeSettings settings) throws BadSettingException;

  /**
   * Makes a codec with the given settings. Decoding must not depend on them: a frame stays readable
   * after its settings were changed.
   *
   * @throws BadSettingException if one of the scheme's settings is wrong
   */
  FrameCodec newCodec(SchemeSettings settings) throws IOException;
}
