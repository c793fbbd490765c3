/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.html;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Writes HTML, and SVG in it, in which all text and all values of attributes are escaped; names of
 * elements and attributes are constants of the program. For one thread.
 */
public final class Html {
  private final StringBuilder out = new StringBuilder();
  private final Deque<String> open = new ArrayDeque<>();

  /**
   * Begins an element.
   *
   * @param attributes names and values in turns
   */
  public Html begin(String element, Object... attributes) {
    tag(element, attributes);
    open.push(element);
    return this;
  }

  /** Writes an element of the head, which has no content and no end. */
  void meta(Object... attributes) {
    tag("meta", attributes);
  }

  private void tag(String element, Object... attributes) {
    out.append('<').append(element);
    for (int i = 0; i < attributes.length; i += 2) {
      out.append(' ').append(attributes[i]).append("=\"");
      escape(String.valueOf(attributes[i + 1]));
      out.append('"');
    }
    out.append('>');
  }

  /** Ends the element that was begun last. */
  public Html end() {
    out.append("</").append(open.pop()).append('>');
    return this;
  }

  /** Writes text. */
  public Html text(Object text) {
    escape(String.valueOf(text));
    return this;
  }

  /** Writes an element with a text. */
  public Html element(String element, Object text, Object... attributes) {
    return begin(element, attributes).text(text).end();
  }

  /** Writes a constant as it is: the document type and the style sheet. */
  Html constant(String text) {
    out.append(text);
    return this;
  }

  /** Such characters could show text as another one, as those that turn the direction do. */
  private static boolean isInvisible(char c) {
    return (Character.isISOControl(c) && c != '\n' && c != '\t')
        || Character.getType(c) == Character.FORMAT
        || Character.isSurrogate(c);
  }

  private void escape(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '&':
          out.append("&amp;");
          break;
        case '<':
          out.append("&lt;");
          break;
        case '>':
          out.append("&gt;");
          break;
        case '"':
          out.append("&quot;");
          break;
        case '\'':
          out.append("&#39;");
          break;
        default:
          out.append(isInvisible(c) ? '\uFFFD' : c);
      }
    }
  }

  @Override
  public String toString() {
    return out.toString();
  }
}
