/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.html;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/**
 * A page of HTML that is complete in itself: no script, no other file, nothing from elsewhere. It
 * names {@link #POLICY} as its security policy, by which a browser runs and loads nothing even if
 * something foreign came into it. Light or dark as the reader has it, and usable with the keyboard.
 * For one thread.
 */
public final class Page {

  private static final String STYLE = resource("page.css");

  /** The content security policy of all pages: the one style sheet, and nothing else. */
  public static final String POLICY =
      "default-src 'none'; style-src 'sha256-"
          + sha256(STYLE)
          + "'; base-uri 'none'; form-action 'none'";

  private static final int WHOLE = 100;

  private final Html html = new Html();

  /** That of the present section. */
  private String heading = "";

  /** A cell of a table with text that may be long. */
  public static final class Words {
    private final String text;

    public Words(String text) {
      this.text = text;
    }

    @Override
    public String toString() {
      return text;
    }
  }

  /** A cell of a table that draws a part of a whole. */
  public static final class Bar {
    private final long percent;

    /** What is more than the whole is drawn as the whole; of nothing, nothing is drawn. */
    public Bar(long part, long whole) {
      double share = whole <= 0 ? 0 : (double) part / whole;
      this.percent = Math.round(WHOLE * Math.max(0, Math.min(1, share)));
    }
  }

  /**
   * Begins a page.
   *
   * @param note a line below the title
   * @param sections the names of the sections that follow, by their ids
   */
  public Page(String title, String note, Map<String, String> sections) {
    html.constant("<!DOCTYPE html>\n");
    html.begin("html", "lang", "en").begin("head");
    html.meta("charset", "utf-8");
    html.meta("http-equiv", "Content-Security-Policy", "content", POLICY);
    html.meta("name", "viewport", "content", "width=device-width, initial-scale=1");
    html.element("title", title);
    html.begin("style").constant(STYLE).end().end();
    html.begin("body").begin("header").element("h1", title).element("p", note);
    html.begin("nav", "aria-label", "Sections");
    sections.forEach((id, name) -> html.element("a", name, "href", "#" + id));
    html.end().end().begin("main");
  }

  private static String resource(String name) {
    try (InputStream in = Page.class.getResourceAsStream(name)) {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      byte[] buffer = new byte[1 << 12];
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        out.write(buffer, 0, read);
      }
      return new String(out.toByteArray(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String sha256(String text) {
    try {
      return Base64.getEncoder()
          .encodeToString(
              MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has it", e);
    }
  }

  /** Returns what writes the content of a section. */
  public Html html() {
    return html;
  }

  /** Begins a section. */
  public void section(String id, String name) {
    heading = name;
    html.begin("section", "id", id).element("h2", name);
  }

  /** Ends a section. */
  public void endSection() {
    html.end();
  }

  /** Writes what needs attention, or that there is nothing. */
  public void attention(List<String> lines, String ifNone) {
    if (lines.isEmpty()) {
      html.element("p", ifNone, "class", "good");
      return;
    }
    html.begin("ul");
    lines.forEach(line -> html.element("li", line, "class", "bad"));
    html.end();
  }

  /**
   * Writes figures large.
   *
   * @param figures their names and values in turns
   */
  public void figures(String... figures) {
    html.begin("dl", "class", "figures");
    for (int i = 0; i < figures.length; i += 2) {
      html.begin("div").element("dt", figures[i]).element("dd", figures[i + 1]).end();
    }
    html.end();
  }

  /** Begins a part that is scrolled by itself, by keyboard too, where it is wider than the page. */
  public void scrolled(String name) {
    html.begin("div", "class", "wide", "tabindex", 0, "role", "region", "aria-label", name);
  }

  /**
   * Begins a table, which is scrolled by itself, by keyboard too, where it is wider than the page.
   *
   * @param name what it shows
   * @param heads of the columns; {@link Words} where the cells are, the first one is anyway
   */
  public void table(String name, Object... heads) {
    scrolled(name);
    html.begin("table");
    if (!name.equals(heading)) {
      html.element("caption", name);
    }
    html.begin("thead").begin("tr");
    for (int i = 0; i < heads.length; i++) {
      if (i == 0 || heads[i] instanceof Words) {
        html.element("th", heads[i], "scope", "col", "class", "words");
      } else {
        html.element("th", heads[i], "scope", "col");
      }
    }
    html.end().end().begin("tbody");
  }

  /** Ends a table. */
  public void endTable() {
    html.end().end().end();
  }

  /**
   * Writes a row of a table.
   *
   * @param cells each {@link Words}, a {@link Bar}, or what becomes a short text
   */
  public void row(String first, Object... cells) {
    html.begin("tr").element("td", first, "class", "words");
    for (Object cell : cells) {
      if (cell instanceof Bar) {
        bar(((Bar) cell).percent);
      } else if (cell instanceof Words) {
        html.element("td", cell, "class", "words");
      } else {
        html.element("td", cell);
      }
    }
    html.end();
  }

  /** The same is in another cell as a number. */
  private void bar(long percent) {
    html.begin("td").begin("svg", "viewBox", "0 0 100 10", "width", WHOLE, "aria-hidden", "true");
    html.element("rect", "", "class", "track", "width", WHOLE, "height", 10);
    html.element("rect", "", "class", "bar", "width", percent, "height", 10);
    html.end().end();
  }

  /** Ends the page and returns it. */
  public String end() {
    return html.end().end().end().toString();
  }
}
