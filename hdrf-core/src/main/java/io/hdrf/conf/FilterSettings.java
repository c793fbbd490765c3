/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.conf;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import io.hdrf.spi.BadSettingException;
import io.hdrf.spi.PluginSettings;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import org.apache.hadoop.conf.Configuration;

/**
 * The rules for blocks that the Reducer leaves alone: the keys {@code hdrf.filter.*}. Immutable.
 *
 * <p>Regular expressions are those of RE2/J, which is on Hadoop's own class path: their matching
 * takes time linear in the data, whatever the expression is.
 */
public final class FilterSettings {

  /** Keywords and regular expressions, at least one of which must be found. Immutable. */
  public static final class Search {
    private final List<String> keywords;
    private final List<Pattern> patterns;

    Search(List<String> keywords, List<Pattern> patterns) {
      this.keywords = Collections.unmodifiableList(keywords);
      this.patterns = Collections.unmodifiableList(patterns);
    }

    /** Returns the keywords; each stands for bytes in ISO-8859-1; unmodifiable. */
    public List<String> keywords() {
      return keywords;
    }

    /** Returns the regular expressions; unmodifiable. */
    public List<Pattern> patterns() {
      return patterns;
    }

    public boolean isEmpty() {
      return keywords.isEmpty() && patterns.isEmpty();
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Search
          && ((Search) other).keywords.equals(keywords)
          && ((Search) other).patterns.toString().equals(patterns.toString());
    }

    @Override
    public int hashCode() {
      return Objects.hash(keywords, patterns.toString());
    }
  }

  private static final String EXCLUDE = "exclude.";
  private static final String INCLUDE = "include.";
  private static final String KEYWORDS = "keywords";
  private static final String REGEX = "regex";
  private static final String MIN_AGE = "min.age";

  private static final int MAX_KEYWORD_CHAR = 0xFF;
  private static final int MAX_REGEX_LENGTH = 4096;

  /**
   * The limit for counted repetitions, which bounds the size of a compiled expression and the steps
   * for each byte.
   */
  private static final int MAX_REPETITIONS = 10_000;

  private static final java.util.regex.Pattern REPETITION =
      java.util.regex.Pattern.compile("\\{(\\d{1,9})(?:,(\\d{1,9})?)?\\}");

  private final Search exclude;
  private final Search include;
  private final int minAgeSeconds;

  /**
   * @throws BadSettingException names the key, its value and what is accepted
   */
  public FilterSettings(Configuration configuration) throws BadSettingException {
    PluginSettings settings = new PluginSettings(configuration, HdrfKeys.FILTER_SECTION);
    exclude = search(settings, EXCLUDE);
    include = search(settings, INCLUDE);
    minAgeSeconds = settings.getInt(MIN_AGE, 0, 0, 365 * 24 * 3600);
  }

  private static Search search(PluginSettings settings, String kind) throws BadSettingException {
    List<String> keywords = elements(settings.getString(kind + KEYWORDS, ""), "[,\n]");
    for (String keyword : keywords) {
      if (keyword.chars().anyMatch(c -> c > MAX_KEYWORD_CHAR)) {
        throw new BadSettingException(
            settings.key(kind + KEYWORDS),
            keyword,
            "of characters up to U+00FF, each of which stands for one byte; other bytes can be"
                + " searched as \\xHH by "
                + settings.key(kind + REGEX));
      }
    }
    List<Pattern> patterns = new ArrayList<>();
    for (String expression : elements(settings.getString(kind + REGEX, ""), "\n")) {
      patterns.add(compile(settings.key(kind + REGEX), expression));
    }
    return new Search(keywords, patterns);
  }

  private static List<String> elements(String value, String separator) {
    List<String> elements = new ArrayList<>();
    for (String element : value.split(separator, -1)) {
      if (!element.trim().isEmpty()) {
        elements.add(element.trim());
      }
    }
    return elements;
  }

  private static Pattern compile(String key, String expression) throws BadSettingException {
    if (expression.length() > MAX_REGEX_LENGTH || repetitions(expression) > MAX_REPETITIONS) {
      throw new BadSettingException(
          key,
          expression,
          "at most "
              + MAX_REGEX_LENGTH
              + " characters long, and its counts of repetitions, multiplied, at most "
              + MAX_REPETITIONS);
    }
    try {
      return Pattern.compile(expression);
    } catch (PatternSyntaxException e) {
      throw new BadSettingException(
          key, expression, "a regular expression in RE2 syntax: " + e.getMessage());
    }
  }

  /** Returns the product of all counted repetitions: nested ones multiply. */
  private static double repetitions(String expression) {
    double product = 1;
    Matcher counts = REPETITION.matcher(expression);
    while (counts.find()) {
      String most = counts.group(2) != null ? counts.group(2) : counts.group(1);
      product *= Math.max(1, Integer.parseInt(most));
    }
    return product;
  }

  /** Returns the search that keeps a block plain if it finds something. */
  public Search exclude() {
    return exclude;
  }

  /** Returns the search that, if not empty, keeps a block plain if it finds nothing. */
  public Search include() {
    return include;
  }

  /** Returns the time in seconds after the last write for which a block stays plain. */
  public int minAgeSeconds() {
    return minAgeSeconds;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof FilterSettings
        && ((FilterSettings) other).exclude.equals(exclude)
        && ((FilterSettings) other).include.equals(include)
        && ((FilterSettings) other).minAgeSeconds == minAgeSeconds;
  }

  @Override
  public int hashCode() {
    return Objects.hash(exclude, include, minAgeSeconds);
  }
}
