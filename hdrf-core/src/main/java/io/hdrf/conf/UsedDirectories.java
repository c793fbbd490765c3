/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.conf;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

/**
 * The data directories of every DataNode that was ever started from an installation of HDRF,
 * whatever its configuration: a file for each set of directories in {@link #NAME}, which {@code
 * hdrf install} makes. Removing HDRF asks for reduced blocks in all of them. The files are written
 * by the DataNodes' users, so that whoever reads them may only be led to look, never to write.
 */
public final class UsedDirectories {

  /** The directory beside the installed versions; everybody may add a file to it. */
  public static final String NAME = "hdrf-datanodes";

  private static final String SUMS = "SHA256SUMS";
  private static final String SUFFIX = ".dirs";
  private static final int MAX_LENGTH = 1 << 20;

  private UsedDirectories() {}

  /**
   * The Hadoop in which a class of HDRF is installed, or empty where {@code hdrf install} did not
   * put it there.
   */
  public static Optional<Path> installation(Class<?> any) {
    CodeSource source = any.getProtectionDomain().getCodeSource();
    if (source == null) {
      return Optional.empty();
    }
    try {
      // HADOOP_HOME/hdrf-VERSION/datanode/x.jar
      Path jar = Paths.get(source.getLocation().toURI()).toAbsolutePath();
      Path version = jar.resolve("../..").normalize();
      return Files.exists(version.resolve(SUMS))
          ? Optional.ofNullable(version.getParent())
          : Optional.empty();
    } catch (URISyntaxException | RuntimeException e) {
      return Optional.empty();
    }
  }

  /**
   * Notes directories, unless they are noted.
   *
   * @param home a Hadoop in which HDRF is installed
   */
  public static void record(Path home, Collection<Path> directories) throws IOException {
    TreeSet<String> sorted = new TreeSet<>();
    for (Path directory : directories) {
      sorted.add(directory.toAbsolutePath().normalize().toString());
    }
    byte[] text = (String.join("\n", sorted) + "\n").getBytes(StandardCharsets.UTF_8);
    Path target = home.resolve(NAME).resolve(UUID.nameUUIDFromBytes(text) + SUFFIX);
    if (Files.exists(target, LinkOption.NOFOLLOW_LINKS)
        && Arrays.equals(Files.readAllBytes(target), text)) {
      return;
    }
    Path part = target.resolveSibling("." + UUID.randomUUID());
    try {
      Files.write(part, text, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
      Files.move(part, target, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(part);
    }
  }

  /**
   * The files with what they name.
   *
   * @return nothing where no DataNode was started
   * @throws IOException if a file can't be understood
   */
  public static SortedMap<Path, List<Path>> read(Path home) throws IOException {
    SortedMap<Path, List<Path>> found = new TreeMap<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(home.resolve(NAME), "*" + SUFFIX)) {
      for (Path file : files) {
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
            || Files.size(file) > MAX_LENGTH) {
          throw new IOException(file + " is no list of a DataNode's directories");
        }
        List<Path> directories = new ArrayList<>();
        for (String line : Files.readAllLines(file)) {
          if (!line.startsWith("/")) {
            throw new IOException(file + " is no list of a DataNode's directories");
          }
          directories.add(Paths.get(line));
        }
        found.put(file, directories);
      }
    } catch (NoSuchFileException e) {
      return found;
    }
    return found;
  }
}
