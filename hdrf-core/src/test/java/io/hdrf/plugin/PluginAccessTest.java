/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks the owners of plug-ins that may run in a DataNode. */
class PluginAccessTest {

  /** Provided by no jar here. */
  public interface Service {}

  @TempDir Path temporary;

  private Path plugins;
  private Path jar;

  @BeforeEach
  void create() throws IOException {
    plugins = Files.createDirectory(temporary.resolve("plugins"));
    jar = plugins.resolve("a.jar");
    try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(jar))) {
      zip.putNextEntry(new ZipEntry("META-INF/"));
    }
    mode(plugins, "rwxr-xr-x");
    mode(jar, "rw-r--r--");
  }

  private static void mode(Path file, String permissions) throws IOException {
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
  }

  private void assertRefused(Path named) {
    assertThatThrownBy(() -> PluginLoader.load(plugins, Service.class))
        .isInstanceOf(PluginLoadException.class)
        .hasMessageContaining(named.toString())
        .hasMessageContaining("can be written to by others");
  }

  @Test
  void whatOnlyItsOwnerMayWriteIsLoaded() throws IOException {
    assertThat(PluginLoader.load(plugins, Service.class)).isEmpty();
    mode(plugins, "r-xr-xr-x");
    assertThat(PluginLoader.load(plugins, Service.class)).isEmpty();
    mode(plugins, "rwx------");
    assertThat(PluginLoader.load(plugins, Service.class)).isEmpty();
  }

  @Test
  void aDirectoryThatOthersMayWriteIsRefused() throws IOException {
    mode(plugins, "rwxrwxrwx");
    assertRefused(plugins.toRealPath());
    Files.setAttribute(plugins, "unix:mode", 01777);
    assertRefused(plugins.toRealPath());
  }

  @Test
  void aJarThatOthersMayWriteIsRefused() throws IOException {
    mode(jar, "rw-r--rw-");
    assertRefused(jar.toRealPath());
  }

  /** A link to a place that others may write is no better than that place. */
  @Test
  void linksAreFollowed() throws IOException {
    Path elsewhere = Files.createDirectory(temporary.resolve("elsewhere"));
    Path target = Files.move(jar, elsewhere.resolve("a.jar"));
    Files.createSymbolicLink(jar, target);
    assertThat(PluginLoader.load(plugins, Service.class)).isEmpty();
    mode(target, "rw-r--rw-");
    assertRefused(target.toRealPath());
  }

  @Test
  void aGroupOfAnotherNameThanTheOwnersIsRefused() throws IOException {
    PosixFileAttributes attributes = Files.readAttributes(plugins, PosixFileAttributes.class);
    String owner = attributes.owner().getName();
    mode(plugins, "rwxrwxr-x");
    if (attributes.group().getName().equals(owner)) {
      PluginAccess.check(plugins, List.of(jar));
      if (owner.equals("root")) {
        GroupPrincipal daemon =
            plugins
                .getFileSystem()
                .getUserPrincipalLookupService()
                .lookupPrincipalByGroupName("daemon");
        Files.getFileAttributeView(plugins, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
            .setGroup(daemon);
        assertRefused(plugins.toRealPath());
      }
    } else {
      assertRefused(plugins.toRealPath());
    }
  }

  @Test
  void whatBelongsToAStrangerIsRefused() throws IOException {
    if (Files.getAttribute(plugins, "unix:uid").equals(0)) {
      // Root may give files away.
      Files.setAttribute(plugins, "unix:uid", 12345);
      assertThatThrownBy(() -> PluginAccess.check(plugins, List.of(jar)))
          .isInstanceOf(PluginLoadException.class)
          .hasMessageContaining(plugins.toRealPath() + " belongs to 12345");
      PluginAccess.check(plugins, List.of(jar), Set.of("12345"));
    } else {
      assertThatThrownBy(() -> PluginAccess.check(plugins, List.of(jar), Set.of("nobody")))
          .isInstanceOf(PluginLoadException.class)
          .hasMessageContaining("belongs to");
    }
  }
}
