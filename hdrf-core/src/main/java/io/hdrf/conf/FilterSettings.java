/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.conf;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import io.hdrf.spi.BadSettingException;
import io.hdrf.spi.PluginSettings;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import org.apache.hadoop.conf.Configuration;

/**
 * The rules for blocks that the Reducer leaves alone: the keys {@code hdrf.filter.*}. Immutable.
 *
 * <p>Regular expressions are those of RE2/J, which is on Hadoop's own class path: their matching
 * takes time linear in the data, whatever the expression is.
 */
public final class FilterSettings {

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

  private final List<String> excludedKeywords;
  private final List<Pattern> excludedPatterns;
  private final List<String> includedKeywords;
  private final List<Pattern> includedPatterns;
  private final int minAgeSeconds;

  /**
   * @throws BadSettingException names the key, its value and what is accepted
   */
  public FilterSettings(Configuration configuration) throws BadSettingException {
    PluginSettings settings = new PluginSettings(configuration, HdrfKeys.FILTER_SECTION);
    excludedKeywords = keywords(settings, EXCLUDE);
    excludedPatterns = patterns(settings, EXCLUDE);
    includedKeywords = keywords(settings, INCLUDE);
    includedPatterns = patterns(settings, INCLUDE);
    minAgeSeconds = settings.getInt(MIN_AGE, 0, 0, 365 * 24 * 3600);
  }

  private static List<String> keywords(PluginSettings settings, String kind)
      throws BadSettingException {
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
    return Collections.unmodifiableList(keywords);
  }

  private static List<Pattern> patterns(PluginSettings settings, String kind)
      throws BadSettingException {
    List<Pattern> patterns = new ArrayList<>();
    for (String expression : elements(settings.getString(kind + REGEX, ""), "\n")) {
      patterns.add(compile(settings.key(kind + REGEX), expression));
    }
    return Collections.unmodifiableList(patterns);
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

  /** Returns the keywords that keep a block plain, of bytes in ISO-8859-1; unmodifiable. */
  public List<String> excludedKeywords() {
    return excludedKeywords;
  }

  /** Returns the regular expressions that keep a block plain; unmodifiable. */
  public List<Pattern> excludedPatterns() {
    return excludedPatterns;
  }

  /** Returns the keywords one of which a block must hold; see {@link #includesAll}. */
  public List<String> includedKeywords() {
    return includedKeywords;
  }

  /** Returns the regular expressions one of which a block must match; unmodifiable. */
  public List<Pattern> includedPatterns() {
    return includedPatterns;
  }

  /** Returns whether blocks need hold nothing in order to be reduced. */
  public boolean includesAll() {
    return includedKeywords.isEmpty() && includedPatterns.isEmpty();
  }

  /** Returns the time in seconds after the last write for which a block stays plain. */
  public int minAgeSeconds() {
    return minAgeSeconds;
  }
}
