/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.lifecycle;

import java.io.File;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** HDRF as an operator gets it: packed by {@code hdrf dist}, and unpacked by tar. */
final class Unpacked {
  private Unpacked() {}

  /**
   * Packs a build.
   *
   * @param dist a copy of Maven's, which gets the configuration
   * @return the tarball
   */
  static Path pack(Path dist, Path output) throws IOException, InterruptedException {
    Path source = Path.of(System.getProperty("hdrf.test.source")).toRealPath();
    copyTree(source.resolve("conf"), dist.resolve("conf"));
    String classPath =
        dist
            + "/lib/*"
            + AssembledHome.hadoopJars().stream()
                .map(jar -> File.pathSeparator + jar)
                .collect(Collectors.joining());
    new Command(
            Path.of(System.getProperty("java.home"), "bin", "java"),
            "-Dhdrf.home=" + source,
            "-Dhdrf.dist=" + dist,
            "-cp",
            classPath,
            "io.hdrf.cli.Main",
            "dist",
            "--output",
            output.toString())
        .output();
    try (DirectoryStream<Path> tarballs = Files.newDirectoryStream(output, "hdrf-*.tar.gz")) {
      return tarballs.iterator().next();
    }
  }

  /** Unpacks it and returns the directory in it. */
  static Path unpack(Path tarball, Path target) throws IOException, InterruptedException {
    Files.createDirectories(target);
    new Command(Path.of("tar"), "xzf", tarball.toString(), "-C", target.toString()).output();
    try (DirectoryStream<Path> tops = Files.newDirectoryStream(target)) {
      return tops.iterator().next();
    }
  }

  /** Packs Maven's build, and unpacks it below {@code directory}. */
  static Path in(Path directory) throws IOException, InterruptedException {
    Path output = Files.createDirectories(directory.resolve("packed"));
    Path tarball = pack(copyOfBuild(directory.resolve("build")), output);
    return unpack(tarball, directory.resolve("unpacked"));
  }

  /** Copies what Maven built: several JVMs pack at the same time. */
  static Path copyOfBuild(Path target) throws IOException, InterruptedException {
    Path dist = Path.of(System.getProperty("hdrf.test.dist"));
    for (String part : List.of("plugins", "lib", "kit", "datanode", "client")) {
      copyTree(dist.resolve(part), target.resolve(part));
    }
    return target;
  }

  private static void copyTree(Path from, Path to) throws IOException, InterruptedException {
    Files.createDirectories(to);
    new Command(Path.of("cp"), "-r", from + "/.", to.toString()).output();
  }
}
