/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import io.hdrf.cluster.ClusterException;
import io.hdrf.corpus.TarWriter;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;

/**
 * The files that an operator gets, by their paths: {@code hdrf dist} packs them and {@code hdrf
 * install} copies them. Immutable, but reads the files again whenever it copies them.
 */
final class Distribution {
  /** SHA-256 of every other file, in the form of {@code sha256sum}. */
  static final String SUMS = "SHA256SUMS";

  /** Hadoop's shell reads it on each start; see {@link Installation}. */
  static final String PROFILE = "conf/hadoop-shellprofile.sh";

  private static final List<String> LAYOUT =
      List.of("lib", "datanode", "client", "plugins", "kit", "conf");
  private static final List<String> SOURCES = List.of("bin/hdrf", "README.md", "LICENSE");
  private static final Set<PosixFilePermission> OPEN = PosixFilePermissions.fromString("rwxr-xr-x");
  private static final Set<PosixFilePermission> READABLE =
      PosixFilePermissions.fromString("rw-r--r--");
  private static final Pattern SUM = Pattern.compile("([0-9a-f]{64})  (.+)");

  /** The content of a file. */
  private interface Content {
    byte[] read() throws IOException;
  }

  private final String version;
  private final SortedMap<String, Content> files;
  private final SortedMap<String, String> digests = new TreeMap<>();

  private Distribution(String version, SortedMap<String, Content> files) {
    this.version = version;
    this.files = files;
  }

  /**
   * Returns the distribution that was built in a source tree, with the licences of its jars.
   *
   * @param home the source tree
   * @param dist the layout that {@code bin/hdrf} builds
   * @throws ClusterException if a jar that is not HDRF's states no licence
   */
  static Distribution ofSourceTree(Path home, Path dist, String version) throws IOException {
    SortedMap<String, Content> files = new TreeMap<>();
    ThirdPartyLicences licences = new ThirdPartyLicences();
    for (String directory : LAYOUT) {
      for (Path file : filesIn(dist.resolve(directory))) {
        String path = directory + "/" + dist.resolve(directory).relativize(file);
        files.put(path, () -> Files.readAllBytes(file));
        if (path.endsWith(".jar")) {
          licences.add(path, file);
        }
      }
    }
    for (Path file : filesIn(home.resolve("docs"))) {
      files.put(home.relativize(file).toString(), () -> Files.readAllBytes(file));
    }
    for (String path : SOURCES) {
      Path file = home.resolve(path);
      files.put(path, () -> Files.readAllBytes(file));
    }
    licences.files().forEach((path, content) -> files.put(path, () -> content));
    Distribution made = new Distribution(version, files);
    for (Map.Entry<String, Content> file : files.entrySet()) {
      made.digests.put(file.getKey(), sha256(file.getValue().read()));
    }
    return made;
  }

  /**
   * Returns an unpacked or installed distribution. Its files are compared with their checksums when
   * they are copied.
   *
   * @throws ClusterException if it has no {@link #SUMS}
   */
  static Distribution unpacked(Path home, String version) throws IOException {
    SortedMap<String, Content> files = new TreeMap<>();
    Distribution found = new Distribution(version, files);
    for (Map.Entry<String, String> line : sums(home).entrySet()) {
      found.digests.put(line.getKey(), line.getValue());
      Path file = home.resolve(line.getKey());
      files.put(
          line.getKey(),
          () -> {
            byte[] content = Files.readAllBytes(file);
            if (!sha256(content).equals(line.getValue())) {
              throw new ClusterException(file + " is not as " + SUMS + " says; unpack HDRF anew");
            }
            return content;
          });
    }
    return found;
  }

  /**
   * Returns the paths and checksums that a directory's {@link #SUMS} names.
   *
   * @throws ClusterException if there is none, or it can't be understood
   */
  static SortedMap<String, String> sums(Path directory) throws IOException {
    Path file = directory.resolve(SUMS);
    SortedMap<String, String> sums = new TreeMap<>();
    List<String> lines;
    try {
      lines = Files.readAllLines(file);
    } catch (NoSuchFileException e) {
      throw new ClusterException(directory + " holds no HDRF: no " + SUMS, e);
    }
    for (String line : lines) {
      Matcher matcher = SUM.matcher(line);
      if (!matcher.matches() || !isInside(matcher.group(2))) {
        throw new ClusterException("Can't understand this line of " + file + ": " + line);
      }
      sums.put(matcher.group(2), matcher.group(1));
    }
    return sums;
  }

  private static boolean isInside(String path) {
    return !path.startsWith("/") && !List.of(path.split("/")).contains("..");
  }

  private static List<Path> filesIn(Path directory) throws IOException {
    try (Stream<Path> tree = Files.walk(directory)) {
      return tree.filter(Files::isRegularFile)
          .filter(file -> !file.getFileName().toString().startsWith("."))
          .toList();
    } catch (NoSuchFileException e) {
      throw new ClusterException("No directory " + directory + "; run bin/hdrf to build it", e);
    }
  }

  String version() {
    return version;
  }

  /** Returns paths, with {@code /} between names. */
  Iterable<String> paths() {
    return files.keySet();
  }

  /** Returns the text of {@link #SUMS}. */
  String sums() {
    StringBuilder text = new StringBuilder();
    digests.forEach((path, digest) -> text.append(digest).append("  ").append(path).append('\n'));
    return text.toString();
  }

  /** Returns {@code hdrf-VERSION-…}, where the end differs for each content. */
  String name() {
    return "hdrf-"
        + version
        + "-"
        + sha256(sums().getBytes(StandardCharsets.UTF_8)).substring(0, 8);
  }

  /** Returns the content of one of the {@link #paths}. */
  byte[] read(String path) throws IOException {
    return files.get(path).read();
  }

  /** Writes all files below a directory, which need not exist, and forces them to the disk. */
  void copyTo(Path directory) throws IOException {
    for (String path : paths()) {
      write(directory.resolve(path), isProgram(path), read(path));
    }
    write(directory.resolve(SUMS), false, sums().getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Writes a file that everybody may read, whatever the umask, and its missing parents, which
   * everybody may enter, and forces it to the disk. Replaces an existing file; never follows a
   * link, which anybody with write access to the directory could have put there for root to write
   * through.
   */
  static void write(Path file, boolean program, byte[] content) throws IOException {
    makeDirectories(file.getParent());
    Files.deleteIfExists(file);
    try (FileChannel out =
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      ByteBuffer bytes = ByteBuffer.wrap(content);
      while (bytes.hasRemaining()) {
        out.write(bytes);
      }
      out.force(true);
    }
    Files.setPosixFilePermissions(file, program ? OPEN : READABLE);
  }

  /** Sets the mode after the creation, which takes the process's umask from it. */
  private static void makeDirectories(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      makeDirectories(directory.getParent());
      Files.createDirectory(directory);
      Files.setPosixFilePermissions(directory, OPEN);
    }
  }

  /** Returns whether everybody may enter and list a directory. */
  static boolean isOpen(Path directory) throws IOException {
    return Files.getPosixFilePermissions(directory)
        .containsAll(PosixFilePermissions.fromString("r-xr-xr-x"));
  }

  private static boolean isProgram(String path) {
    return path.startsWith("bin/");
  }

  /** Packs everything below {@code hdrf-VERSION/}; the same files give the same bytes. */
  void pack(Path tarball) throws IOException {
    String top = "hdrf-" + version + "/";
    try (OutputStream out = Files.newOutputStream(tarball);
        TarWriter tar =
            new TarWriter(new GZIPOutputStream(new BufferedOutputStream(out, 1 << 16)))) {
      for (String path : paths()) {
        tar.add(top + path, isProgram(path) ? 0755 : 0644, read(path));
      }
      tar.add(top + SUMS, sums().getBytes(StandardCharsets.UTF_8));
    }
  }

  /** Returns the digest in hexadecimal. */
  static String sha256(byte[] content) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every JDK has SHA-256", e);
    }
  }
}
