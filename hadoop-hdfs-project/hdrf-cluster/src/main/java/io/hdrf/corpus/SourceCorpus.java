/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.corpus;

import io.hdrf.cluster.Maven;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Enumeration;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * The sources of several Hadoop versions, fetched by Maven and kept: {@code
 * target/corpus/hadoop-VERSION.tar}, one uncompressed tar a version, its {@code .java}, {@code
 * .proto} and {@code .xml} files in order of name. The same version always gives the same bytes.
 */
public final class SourceCorpus {
  private final Path home;
  private final Path directory;

  /**
   * @param home HDRF's source tree
   */
  public SourceCorpus(Path home) {
    this.home = home;
    this.directory = home.resolve("target").resolve("corpus");
  }

  /** Returns the versions, oldest first. */
  public List<String> versions() throws IOException {
    return versions("versions.txt");
  }

  /**
   * Returns the versions that a file lists, oldest first.
   *
   * @param list the name of a file of {@code benchmarks/data}
   */
  public List<String> versions(String list) throws IOException {
    return Files.readAllLines(home.resolve("benchmarks/data").resolve(list)).stream()
        .map(String::trim)
        .filter(line -> !line.isEmpty() && !line.startsWith("#"))
        .toList();
  }

  /**
   * Returns the tars of all versions; fetches and makes missing ones.
   *
   * @param step receives each version that is ready
   */
  public List<Path> files(Consumer<String> step) throws IOException {
    List<Path> tars = new ArrayList<>();
    for (String version : versions()) {
      tars.add(file(version));
      step.accept(version);
    }
    return tars;
  }

  /** Returns the tar of one version; fetches and makes it if it is missing. */
  public Path file(String version) throws IOException {
    Path tar = directory.resolve("hadoop-" + version + ".tar");
    if (Files.exists(tar)) {
      return tar;
    }
    Path jars = directory.resolve("jars-" + version);
    deleteAll(jars);
    Files.createDirectories(jars);
    fetch(version, jars);
    Path part = directory.resolve(tar.getFileName() + ".part");
    try (Stream<Path> list = Files.list(jars)) {
      tar(list.filter(jar -> jar.toString().endsWith(".jar")).sorted().toList(), part);
    }
    Files.move(part, tar, StandardCopyOption.ATOMIC_MOVE);
    deleteAll(jars);
    return tar;
  }

  private void fetch(String version, Path jars) throws IOException {
    Maven.fetch(
        "the sources of Hadoop " + version,
        home.resolve("benchmarks/data/pom.xml"),
        directory.resolve("fetch-" + version + ".log"),
        List.of("-Dcorpus.version=" + version, "-Dcorpus.output=" + jars, "generate-resources"));
  }

  /** Writes the text files of {@code jars} to a tar, below a directory named after each jar. */
  static void tar(List<Path> jars, Path target) throws IOException {
    try (TarWriter tar =
        new TarWriter(new BufferedOutputStream(Files.newOutputStream(target), 1 << 16))) {
      for (Path jar : jars) {
        String folder = jar.getFileName().toString().replaceFirst("(-sources)?\\.jar$", "");
        try (ZipFile zip = new ZipFile(jar.toFile())) {
          TreeMap<String, ZipEntry> entries = new TreeMap<>();
          for (Enumeration<? extends ZipEntry> e = zip.entries(); e.hasMoreElements(); ) {
            ZipEntry entry = e.nextElement();
            if (isText(entry.getName())) {
              entries.put(entry.getName(), entry);
            }
          }
          for (ZipEntry entry : entries.values()) {
            try (InputStream in = zip.getInputStream(entry)) {
              tar.add(folder + "/" + entry.getName(), in.readAllBytes());
            }
          }
        }
      }
    }
  }

  private static boolean isText(String name) {
    return name.endsWith(".java") || name.endsWith(".proto") || name.endsWith(".xml");
  }

  private static void deleteAll(Path directory) throws IOException {
    if (!Files.exists(directory)) {
      return;
    }
    try (Stream<Path> tree = Files.walk(directory)) {
      for (Path path : tree.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }
}
