/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import io.hdrf.cluster.ClusterException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Lists the third-party parts in the jars of a distribution, with the notices and licence texts in
 * the jars.
 */
final class ThirdPartyLicences {
  private static final String TITLE = "THIRD-PARTY.md";
  private static final String HDRF = "META-INF/maven/io.hdrf/";
  private static final String COORDINATES = "META-INF/maven/";

  /** Excludes {@code NOTICE} in a directory of classes or of another tool. */
  private static final Pattern TEXT =
      Pattern.compile(
          "(META-INF/)?([\\w.]+-)?(LICEN[CS]E|NOTICE|COPYING)([-.](txt|md))?|META-INF/licen[cs]es/.+",
          Pattern.CASE_INSENSITIVE);

  private final Map<String, byte[]> texts = new TreeMap<>();

  /** Rows by the jars' paths. */
  private final Map<String, String> rows = new TreeMap<>();

  private final Properties declared = new Properties();

  ThirdPartyLicences() throws IOException {
    try (InputStream in = ThirdPartyLicences.class.getResourceAsStream("licences.properties")) {
      declared.load(in);
    }
  }

  /**
   * Reads a jar.
   *
   * @param path its path in the distribution
   * @throws ClusterException if it is not HDRF's and states no licence
   */
  void add(String path, Path jar) throws IOException {
    String name = jar.getFileName().toString();
    List<String> inside = new ArrayList<>();
    List<String> found = new ArrayList<>();
    boolean own = false;
    boolean notices = false;
    try (ZipFile zip = new ZipFile(jar.toFile())) {
      for (ZipEntry entry : zip.stream().sorted(this::byName).toList()) {
        String entryName = entry.getName();
        own |= entryName.startsWith(HDRF);
        if (entryName.startsWith(COORDINATES)
            && !entryName.startsWith(HDRF)
            && entryName.endsWith("/pom.properties")) {
          inside.add(coordinates(zip, entry));
        } else if (!entry.isDirectory() && TEXT.matcher(entryName).matches()) {
          notices |= !entryName.equals("META-INF/LICENSE");
          found.add(entryName);
        }
      }
      if (own && !notices) {
        return;
      }
      for (String entryName : found) {
        try (InputStream in = zip.getInputStream(zip.getEntry(entryName))) {
          texts.put(target(name, entryName), in.readAllBytes());
        }
      }
    }
    String licence = declared.getProperty(name.replaceFirst("-\\d[^-]*(-SNAPSHOT)?\\.jar$", ""));
    if (found.isEmpty() && licence == null) {
      throw new ClusterException(
          jar + " says nothing of its licence; add it to licences.properties of hdrf-cli");
    }
    rows.put(path, row(path, inside, name, found, licence));
  }

  private int byName(ZipEntry a, ZipEntry b) {
    return a.getName().compareTo(b.getName());
  }

  private static String coordinates(ZipFile zip, ZipEntry entry) throws IOException {
    Properties pom = new Properties();
    try (InputStream in = zip.getInputStream(entry)) {
      pom.load(in);
    }
    return pom.getProperty("groupId")
        + ":"
        + pom.getProperty("artifactId")
        + ":"
        + pom.getProperty("version");
  }

  private static String target(String jar, String entry) {
    return "licenses/"
        + jar.replaceFirst("\\.jar$", "")
        + "/"
        + entry.replaceFirst("^META-INF/", "").replaceFirst("(?i)^licen[cs]es/", "");
  }

  private static String row(
      String path, List<String> inside, String jar, List<String> found, String licence) {
    StringBuilder row = new StringBuilder("| `" + path + "` | ");
    row.append(String.join(", ", inside)).append(" | ");
    if (found.isEmpty()) {
      row.append(licence);
    } else {
      row.append(
          String.join(", ", found.stream().map(entry -> "`" + target(jar, entry) + "`").toList()));
    }
    return row.append(" |").toString();
  }

  /** Returns the list, the joint notice and the texts, by their paths. */
  Map<String, byte[]> files() {
    Map<String, byte[]> files = new TreeMap<>(texts);
    files.put(
        TITLE,
        ("# What others wrote in these jars\n\n"
                + "A jar of a scheme or store contains the libraries that it needs; its `NOTICE` says"
                + " which.\n\n"
                + "| jar | libraries that name themselves | notices and licences |\n"
                + "|---|---|---|\n"
                + String.join("\n", rows.values())
                + "\n")
            .getBytes(StandardCharsets.UTF_8));
    StringBuilder notice =
        new StringBuilder(
            "HDRF, the Hadoop Data Reduction Framework\n"
                + "Licensed under the Apache License, Version 2.0 (LICENSE).\n\n"
                + "What others wrote, and under which licences: "
                + TITLE
                + ".\n");
    texts.forEach(
        (path, text) -> {
          if (path.toUpperCase(Locale.ROOT).contains("NOTICE")) {
            notice
                .append("\n== ")
                .append(path)
                .append("\n\n")
                .append(new String(text, StandardCharsets.UTF_8).strip())
                .append('\n');
          }
        });
    files.put("NOTICE", notice.toString().getBytes(StandardCharsets.UTF_8));
    return files;
  }
}
