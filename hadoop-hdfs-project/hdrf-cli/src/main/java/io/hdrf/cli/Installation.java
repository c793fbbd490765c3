/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import io.hdrf.cluster.ClusterException;
import io.hdrf.conf.UsedDirectories;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * HDRF in a {@link HadoopHome}: its own directory for each version, {@code hdrf-VERSION-…}; a link
 * {@code hdrf} to the one in use; and a profile for Hadoop's shell. Each is written under another
 * name and renamed, so that a DataNode that starts meanwhile finds the old version or the new one.
 */
final class Installation {
  static final String LINK = "hdrf";
  static final String PROFILE = "libexec/shellprofile.d/hdrf.sh";

  /** The text that identifies an installed profile. */
  private static final String MARK = "HDRF's shell profile";

  private static final String PLUGINS = "plugins";
  private static final String PART = ".part";

  /** Directories of versions, complete or unfinished. */
  private static final Pattern DIRECTORY = Pattern.compile("hdrf-.+-[0-9a-f]{8}(-\\d+)?(\\.part)?");

  private final HadoopHome home;
  private final List<String> changes = new ArrayList<>();

  Installation(HadoopHome home) {
    this.home = home;
  }

  private Path link() {
    return home.resolve(LINK);
  }

  private Path profile() {
    return home.resolve(PROFILE);
  }

  /**
   * Returns the directory in use, or empty.
   *
   * @throws ClusterException if something else has its name
   */
  Optional<Path> current() throws IOException {
    if (!Files.exists(link(), LinkOption.NOFOLLOW_LINKS)) {
      return Optional.empty();
    }
    if (Files.isSymbolicLink(link())) {
      Path target = Files.readSymbolicLink(link());
      if (target.getNameCount() == 1 && DIRECTORY.matcher(target.toString()).matches()) {
        return Optional.of(home.resolve(target.toString()));
      }
    }
    throw new ClusterException(link() + " was not made by 'hdrf install'; move it away first");
  }

  /** Returns whether any part of it exists, as after an interrupted removal. */
  boolean exists() throws IOException {
    return current().isPresent()
        || hasProfile()
        || !directories().isEmpty()
        || Files.isDirectory(home.resolve(UsedDirectories.NAME), LinkOption.NOFOLLOW_LINKS);
  }

  private boolean hasProfile() throws IOException {
    if (!Files.exists(profile())) {
      return false;
    }
    if (!Files.readString(profile()).contains(MARK)) {
      throw new ClusterException(profile() + " was not made by 'hdrf install'; move it away first");
    }
    return true;
  }

  /**
   * Installs a distribution, unless it is already installed with nothing missing or changed but
   * plug-ins. The version that it replaces stays until the next replacement: a DataNode that runs
   * opens native libraries in its jars later, by path. Of others only the operator's jars stay.
   *
   * @return the changes, for people; empty if there was nothing to do
   */
  List<String> install(Distribution distribution) throws IOException {
    changes.clear();
    Optional<Path> before = current();
    boolean hadProfile = hasProfile();
    boolean replaces = before.isEmpty() || !isIntact(before.get(), distribution);
    Path inUse = replaces ? replace(before, distribution) : before.get();
    makeDirectoryForDataNodes();
    byte[] profile = distribution.read(Distribution.PROFILE);
    if (!hadProfile || !Arrays.equals(profile, Files.readAllBytes(profile()))) {
      Path fresh = profile().resolveSibling(".hdrf.sh" + PART);
      Distribution.write(fresh, false, profile);
      move(fresh, profile());
      changes.add("wrote " + profile() + ", by which the DataNode gets HDRF's jars");
    }
    for (Path other : directories()) {
      boolean obsolete = replaces && !other.equals(inUse) && !Optional.of(other).equals(before);
      if (isPart(other) || obsolete) {
        removeVersion(other, Optional.of(inUse));
      }
    }
    return List.copyOf(changes);
  }

  /**
   * Creates the directory for DataNodes. They need not run as the user who installs, so everybody
   * may add files, as in /tmp.
   */
  private void makeDirectoryForDataNodes() throws IOException {
    Path directory = home.resolve(UsedDirectories.NAME);
    boolean missing = !Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS);
    if (missing) {
      Files.createDirectory(directory);
    }
    int mode = (int) Files.getAttribute(directory, "unix:mode", LinkOption.NOFOLLOW_LINKS);
    if ((mode & 07777) != 01777) {
      Files.setAttribute(directory, "unix:mode", 01777, LinkOption.NOFOLLOW_LINKS);
      changes.add(
          (missing ? "made " : "opened to everybody ")
              + directory
              + ", where DataNodes note which directories they use");
    }
  }

  private void removeDirectoryForDataNodes() throws IOException {
    Path directory = home.resolve(UsedDirectories.NAME);
    if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    // DataNodes write files there. What is below a directory that another user made is left alone:
    // he could turn the path to it elsewhere meanwhile.
    List<Path> left = new ArrayList<>();
    try (DirectoryStream<Path> notes = Files.newDirectoryStream(directory)) {
      for (Path note : notes) {
        try {
          Files.deleteIfExists(note);
        } catch (DirectoryNotEmptyException e) {
          left.add(note);
        }
      }
      if (left.isEmpty()) {
        Files.delete(directory);
        changes.add("removed " + directory);
      } else {
        changes.add("left " + directory + ", since there are files in " + names(left));
      }
    } catch (DirectoryNotEmptyException e) {
      changes.add("left " + directory + ", since a DataNode writes there");
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
  }

  /**
   * Returns whether everybody can read the distribution's unchanged files in a directory. What an
   * operator has done to the plug-ins is no damage.
   */
  private static boolean isIntact(Path directory, Distribution distribution) throws IOException {
    try {
      if (!Files.readString(directory.resolve(Distribution.SUMS)).equals(distribution.sums())) {
        return false;
      }
      for (Map.Entry<String, String> file : Distribution.sums(directory).entrySet()) {
        Path path = directory.resolve(file.getKey());
        for (Path p = path.getParent(); p.startsWith(directory); p = p.getParent()) {
          if (!Distribution.isOpen(p)) {
            return false;
          }
        }
        if (!file.getKey().startsWith(PLUGINS + "/")
            && !Distribution.sha256(Files.readAllBytes(path)).equals(file.getValue())) {
          return false;
        }
      }
      return true;
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  private Path replace(Optional<Path> before, Distribution distribution) throws IOException {
    Path target = home.resolve(distribution.name());
    for (int i = 2; Files.exists(target); i++) {
      target = home.resolve(distribution.name() + "-" + i);
    }
    Path part = target.resolveSibling(target.getFileName() + PART);
    WorkDirectory.deleteTree(part);
    try {
      distribution.copyTo(part);
    } catch (IOException e) {
      WorkDirectory.deleteTree(part);
      throw e;
    }
    List<Path> kept = before.isPresent() ? ownPlugins(before.get()) : List.of();
    Set<String> replaced = new HashSet<>();
    if (before.isPresent()) {
      alteredPlugins(before.get()).keySet().forEach(path -> replaced.add(withoutVersion(path)));
    }
    for (String path : distribution.paths()) {
      if (replaced.contains(withoutVersion(path))) {
        Files.delete(part.resolve(path));
      }
    }
    for (Path jar : kept) {
      Distribution.write(
          part.resolve(PLUGINS).resolve(jar.getFileName()), false, Files.readAllBytes(jar));
    }
    move(part, target);
    Path fresh = home.resolve("." + LINK + PART);
    Files.deleteIfExists(fresh);
    Files.createSymbolicLink(fresh, target.getFileName());
    move(fresh, link());
    changes.add("wrote " + target + (kept.isEmpty() ? "" : ", with your plug-ins " + names(kept)));
    changes.add("made " + link() + " a link to it");
    if (before.isPresent() && Files.exists(before.get())) {
      changes.add("kept " + before.get() + " for a DataNode that was started with it");
    }
    return target;
  }

  private static String names(List<Path> files) {
    return String.join(", ", files.stream().map(file -> file.getFileName().toString()).toList());
  }

  private static boolean hasPlugins(Path directory) {
    return Files.isDirectory(directory.resolve(PLUGINS))
        && Files.exists(directory.resolve(Distribution.SUMS));
  }

  /** Returns the jars that an operator has put beside HDRF's, or in the place of one. */
  private static List<Path> ownPlugins(Path directory) throws IOException {
    if (!hasPlugins(directory)) {
      return List.of();
    }
    Set<String> shipped = new HashSet<>(Distribution.sums(directory).keySet());
    shipped.removeAll(alteredPlugins(directory).keySet());
    try (Stream<Path> files = Files.list(directory.resolve(PLUGINS))) {
      return files
          .filter(Files::isRegularFile)
          .filter(file -> !shipped.contains(PLUGINS + "/" + file.getFileName()))
          .sorted()
          .toList();
    }
  }

  /**
   * Returns the paths of the shipped plug-ins that an operator has removed or changed, and whether
   * there is a file. Where their directory is missing, none was removed.
   */
  private static SortedMap<String, Boolean> alteredPlugins(Path directory) throws IOException {
    SortedMap<String, Boolean> altered = new TreeMap<>();
    if (hasPlugins(directory)) {
      for (Map.Entry<String, String> file : Distribution.sums(directory).entrySet()) {
        Path path = directory.resolve(file.getKey());
        if (file.getKey().startsWith(PLUGINS + "/")) {
          boolean exists = Files.exists(path);
          if (!exists || !Distribution.sha256(Files.readAllBytes(path)).equals(file.getValue())) {
            altered.put(file.getKey(), exists);
          }
        }
      }
    }
    return altered;
  }

  /** Returns the part of a plug-in's path that is the same in every version of HDRF. */
  private static String withoutVersion(String path) {
    return path.replaceFirst("-\\d.*", "");
  }

  /** Returns how the plug-ins in use differ from those that HDRF ships, for people. */
  List<String> differences() throws IOException {
    List<String> lines = new ArrayList<>();
    Optional<Path> inUse = current();
    if (inUse.isPresent()) {
      alteredPlugins(inUse.get())
          .forEach(
              (path, exists) ->
                  lines.add(
                      exists
                          ? "left " + path + " as it is, which is not as HDRF ships it"
                          : "left out "
                              + path
                              + ", which you have removed or replaced; copy it from the"
                              + " distribution to have it again"));
    }
    return lines;
  }

  private static void move(Path from, Path to) throws IOException {
    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  /**
   * Removes the files that {@link #install} wrote, and nothing else.
   *
   * @return the changes, for people; empty if there was nothing to do
   */
  List<String> uninstall() throws IOException {
    changes.clear();
    Optional<Path> linked = current();
    if (hasProfile()) {
      Files.delete(profile());
      changes.add("removed " + profile());
    }
    if (linked.isPresent()) {
      Files.delete(link());
      changes.add("removed " + link());
    }
    for (Path directory : directories()) {
      removeVersion(directory, linked.filter(inUse -> !inUse.equals(directory)));
    }
    removeDirectoryForDataNodes();
    return List.copyOf(changes);
  }

  private List<Path> directories() throws IOException {
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(home.directory(), "hdrf-*")) {
      for (Path file : files) {
        if (DIRECTORY.matcher(file.getFileName().toString()).matches()
            && Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS)
            && (isPart(file) || Files.exists(file.resolve(Distribution.SUMS)))) {
          found.add(file);
        }
      }
    }
    return found;
  }

  private static boolean isPart(Path directory) {
    return directory.toString().endsWith(PART);
  }

  /**
   * Removes what HDRF wrote to a version.
   *
   * @param successor the operator's jars go, too, where this version has the same
   */
  private void removeVersion(Path directory, Optional<Path> successor) throws IOException {
    if (isPart(directory)) {
      WorkDirectory.deleteTree(directory);
      changes.add("removed " + directory + ", which was never finished");
      return;
    }
    Set<Path> files = new TreeSet<>();
    for (String path : Distribution.sums(directory).keySet()) {
      files.add(directory.resolve(path));
    }
    List<Path> stay = new ArrayList<>();
    for (Path jar : ownPlugins(directory)) {
      if (successor.isPresent()
          && isSame(jar, successor.get().resolve(directory.relativize(jar)))) {
        files.add(jar);
      } else {
        files.remove(jar);
        stay.add(jar);
      }
    }
    for (Path file : files) {
      Files.deleteIfExists(file);
    }
    // By the sums an interrupted removal is found again.
    removeEmptyDirectories(directory);
    Files.delete(directory.resolve(Distribution.SUMS));
    removeEmptyDirectories(directory);
    changes.add(
        Files.exists(directory)
            ? "emptied "
                + directory
                + " but for files that are not HDRF's"
                + (stay.isEmpty() ? "" : ": " + names(stay))
            : "removed " + directory);
  }

  private static boolean isSame(Path a, Path b) throws IOException {
    return Files.isRegularFile(b) && Files.mismatch(a, b) == -1;
  }

  private static void removeEmptyDirectories(Path directory) throws IOException {
    for (Path path : deepestFirst(directory)) {
      if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
        try {
          Files.delete(path);
        } catch (DirectoryNotEmptyException e) {
          // Other files stay.
          continue;
        }
      }
    }
  }

  private static List<Path> deepestFirst(Path directory) throws IOException {
    try (Stream<Path> tree = Files.walk(directory)) {
      return tree.sorted(Comparator.reverseOrder()).toList();
    }
  }

  /** Returns the properties to add to {@code hdfs-site.xml}. */
  String site() {
    String text =
        """
        <property>
          <name>dfs.datanode.fsdataset.factory</name>
          <value>org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.HdrfDatasetFactory</value>
        </property>
        <property>
          <name>hdrf.plugins.dir</name>
          <value>PLUGINS</value>
        </property>
        <property>
          <name>hdrf.schemes</name>
          <value>lz4</value>
        </property>
        """;
    if (!home.isTested()) {
      text +=
          """
          <property>
            <name>hdrf.hadoop.untested.version</name>
            <value>VERSION</value>
          </property>
          """
              .replace("VERSION", home.version());
    }
    return text.replace(
        "PLUGINS", link().resolve(PLUGINS).toString().replace("&", "&amp;").replace("<", "&lt;"));
  }
}
