/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.plugin;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.security.CodeSource;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Refuses plug-ins that a stranger may have put there: their code runs in the DataNode. The
 * directory and its jars must belong to root, to the user of this process, or to the owner of
 * HDRF's own jar, who decides anyway which code runs here; and only the owner may write to them. A
 * group with the owner's name, as systems make for each user, counts as the owner.
 */
final class PluginAccess {

  private static final Logger LOG = LoggerFactory.getLogger(PluginAccess.class);

  private PluginAccess() {}

  /**
   * Checks the directory and the jars in it; links are followed.
   *
   * @throws PluginLoadException if somebody else may write to one of them, with its name
   */
  static void check(Path directory, Collection<Path> jars) throws IOException {
    check(directory, jars, trustedOwners());
  }

  static void check(Path directory, Collection<Path> jars, Set<String> trusted) throws IOException {
    if (!directory.getFileSystem().supportedFileAttributeViews().contains("posix")) {
      return;
    }
    Path real = directory.toRealPath();
    requireTrusted(real, trusted);
    for (Path jar : jars) {
      requireTrusted(jar.toRealPath(), trusted);
    }
    for (Path above = real.getParent(); above != null; above = above.getParent()) {
      if (mayOthersWrite(attributes(above)) && !isSticky(above)) {
        LOG.warn("Others may write to {}, and so can replace the plug-ins in {}", above, directory);
      }
    }
  }

  private static void requireTrusted(Path file, Set<String> trusted) throws IOException {
    PosixFileAttributes attributes = attributes(file);
    String owner = attributes.owner().getName();
    if (!trusted.contains(owner) && !isRoot(file)) {
      throw refused(file, "belongs to " + owner, "chown it to root or to the DataNode's user");
    }
    if (mayOthersWrite(attributes)) {
      throw refused(file, "can be written to by others than its owner", "chmod go-w it");
    }
  }

  private static PluginLoadException refused(Path file, String why, String remedy) {
    return new PluginLoadException(
        file + " " + why + ", and plug-ins run in the DataNode: " + remedy, null);
  }

  private static PosixFileAttributes attributes(Path file) throws IOException {
    return Files.readAttributes(file, PosixFileAttributes.class);
  }

  private static boolean mayOthersWrite(PosixFileAttributes attributes) {
    Set<PosixFilePermission> permissions = attributes.permissions();
    return permissions.contains(PosixFilePermission.OTHERS_WRITE)
        || (permissions.contains(PosixFilePermission.GROUP_WRITE)
            && !attributes.group().getName().equals(attributes.owner().getName()));
  }

  private static boolean isRoot(Path file) throws IOException {
    return Files.getAttribute(file, "unix:uid").equals(0);
  }

  private static boolean isSticky(Path file) throws IOException {
    return ((int) Files.getAttribute(file, "unix:mode") & 01000) != 0;
  }

  private static Set<String> trustedOwners() {
    Set<String> trusted = new HashSet<>();
    trusted.add(System.getProperty("user.name"));
    addOwner(Paths.get("/proc/self"), trusted);
    CodeSource own = PluginAccess.class.getProtectionDomain().getCodeSource();
    if (own != null) {
      try {
        addOwner(Paths.get(own.getLocation().toURI()), trusted);
      } catch (URISyntaxException | IllegalArgumentException e) {
        LOG.debug("{} is no file", own.getLocation(), e);
      }
    }
    return trusted;
  }

  private static void addOwner(Path file, Set<String> trusted) {
    try {
      trusted.add(Files.getOwner(file).getName());
    } catch (IOException | UnsupportedOperationException e) {
      LOG.debug("Who owns {} is not known", file, e);
    }
  }
}
