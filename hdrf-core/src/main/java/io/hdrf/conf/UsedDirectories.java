/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.conf;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.UserPrincipal;
import java.security.CodeSource;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Collection;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;

/**
 * The data directories of every DataNode that was ever started from an installation of HDRF,
 * whatever its configuration: a file for each set of directories in {@link #NAME}, which {@code
 * hdrf install} makes. The removal of HDRF looks for reduced blocks in all of them. The files are
 * written by the DataNodes' users; so a reader may look into the directories they name, but never
 * write because of them.
 */
public final class UsedDirectories {

  /** The directory beside the installed versions; everybody may add a file to it. */
  public static final String NAME = "hdrf-datanodes";

  private static final String SUMS = "SHA256SUMS";
  private static final String SUFFIX = ".dirs";
  private static final int MAX_LENGTH = 1 << 20;

  private UsedDirectories() {}

  /**
   * Returns the Hadoop in which a class of HDRF is installed, or empty where {@code hdrf install}
   * did not put it there.
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
   * Records directories, unless they are recorded already.
   *
   * @param home a Hadoop in which HDRF is installed
   */
  public static void record(Path home, Collection<Path> directories) throws IOException {
    TreeSet<String> sorted = new TreeSet<>();
    for (Path directory : directories) {
      sorted.add(directory.toAbsolutePath().normalize().toString());
    }
    byte[] text = (String.join("\n", sorted) + "\n").getBytes(StandardCharsets.UTF_8);
    write(home.resolve(NAME), name(text), text);
  }

  /** By SHA-256, as a JVM that keeps to FIPS 140 has no MD5, which names of UUIDs are made of. */
  private static String name(byte[] text) throws IOException {
    try {
      ByteBuffer digest = ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(text));
      return new UUID(digest.getLong(), digest.getLong()).toString();
    } catch (NoSuchAlgorithmException e) {
      throw new IOException(e);
    }
  }

  private static void write(Path parent, String name, byte[] text) throws IOException {
    Path part = parent.resolve("." + UUID.randomUUID());
    try {
      Files.write(part, text, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
      UserPrincipal self = Files.getOwner(part, LinkOption.NOFOLLOW_LINKS);
      try (DirectoryStream<Path> noted = Files.newDirectoryStream(parent, name + "*" + SUFFIX)) {
        for (Path file : noted) {
          if (isOwn(file, self) && Arrays.equals(content(file), text)) {
            return;
          }
        }
      }
      Path target = parent.resolve(name + SUFFIX);
      if (Files.exists(target, LinkOption.NOFOLLOW_LINKS) && !isOwn(target, self)) {
        // The existing file can't be replaced, and somebody else decides what it holds.
        target = parent.resolve(name + "-" + UUID.randomUUID() + SUFFIX);
      }
      Files.move(part, target, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(part);
    }
  }

  private static boolean isOwn(Path file, UserPrincipal self) {
    try {
      PosixFileAttributes is = attributes(file);
      return is.isRegularFile() && is.size() <= MAX_LENGTH && is.owner().equals(self);
    } catch (IOException e) {
      return false;
    }
  }

  private static PosixFileAttributes attributes(Path file) throws IOException {
    return Files.readAttributes(file, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
  }

  /** Reads a regular file, which may grow meanwhile. */
  private static byte[] content(Path file) throws IOException {
    ByteBuffer content = ByteBuffer.allocate(MAX_LENGTH + 1);
    try (SeekableByteChannel in =
        Files.newByteChannel(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
      while (content.hasRemaining() && in.read(content) >= 0) {
        continue;
      }
    }
    if (!content.hasRemaining()) {
      throw new IOException(file + " is too long");
    }
    return Arrays.copyOf(content.array(), content.position());
  }

  /**
   * Returns the recorded directories. Anybody may put a list there, so a list of a stranger may
   * hide one of the directories' owner; the directories that it names are read all the same.
   *
   * @param obstacles receives what can't be understood or trusted, in words for people
   * @return an empty set where no DataNode was started
   */
  public static SortedSet<Path> read(Path home, Collection<String> obstacles) throws IOException {
    SortedSet<Path> found = new TreeSet<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(home.resolve(NAME), "*" + SUFFIX)) {
      for (Path file : files) {
        try {
          addList(file, found, obstacles);
        } catch (IOException | InvalidPathException e) {
          obstacles.add(file + " can't be read: " + e.getMessage());
        }
      }
    } catch (NoSuchFileException e) {
      return found;
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    return found;
  }

  private static void addList(Path file, Collection<Path> found, Collection<String> obstacles)
      throws IOException {
    PosixFileAttributes is = attributes(file);
    if (!is.isRegularFile() || is.size() > MAX_LENGTH) {
      throw new IOException("it is no regular file of at most " + MAX_LENGTH + " bytes");
    }
    String text = new String(content(file), StandardCharsets.UTF_8);
    int end = text.endsWith("\n") ? text.length() - 1 : text.length();
    for (String line : text.substring(0, end).split("\n", -1)) {
      if (!line.startsWith("/")) {
        throw new IOException("it is no list of a DataNode's directories");
      }
      Path directory = Paths.get(line);
      found.add(directory);
      if (Files.exists(directory) && !Files.getOwner(directory).equals(is.owner())) {
        obstacles.add(
            file + " is " + is.owner() + "'s, but " + directory + ", which it names, is not");
      }
    }
  }
}
