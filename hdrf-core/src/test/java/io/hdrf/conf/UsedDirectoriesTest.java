/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.conf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.hdrf.io.ChildJvm;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.security.Provider;
import java.security.Security;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UsedDirectoriesTest {

  private static final int SOMEBODY = 12345;
  private static final Duration FOREVER = Duration.ofSeconds(20);

  @TempDir Path home;

  private final List<String> obstacles = new ArrayList<>();
  private Path data;
  private Path file;

  @BeforeEach
  void install() throws IOException {
    Files.createDirectory(home.resolve(UsedDirectories.NAME));
    data = Files.createDirectory(home.resolve("data"));
    record();
    try (Stream<Path> noted = Files.list(home.resolve(UsedDirectories.NAME))) {
      file = noted.findAny().orElseThrow();
    }
    Files.delete(file);
  }

  private List<Path> noted() {
    return assertTimeoutPreemptively(
        FOREVER, () -> List.copyOf(UsedDirectories.read(home, obstacles)));
  }

  private void record() {
    assertTimeoutPreemptively(FOREVER, () -> UsedDirectories.record(home, List.of(data)));
  }

  private int entries() {
    return home.resolve(UsedDirectories.NAME).toFile().list().length;
  }

  private static boolean isRoot(Path own) throws IOException {
    return Files.getAttribute(own, "unix:uid").equals(0);
  }

  private static void giveAway(Path path) throws IOException {
    Files.setAttribute(path, "unix:uid", SOMEBODY, LinkOption.NOFOLLOW_LINKS);
  }

  /** What lies in the way stays, is named, and never hides what is noted beside it. */
  private void assertNotedBesideAnObstacle() {
    record();
    assertThat(entries()).isEqualTo(2);
    record();
    assertThat(entries()).as("noted once").isEqualTo(2);
    assertThat(noted()).containsExactly(data);
    assertThat(obstacles).singleElement().asString().contains(file.toString());
  }

  /** A DataNode whose JVM has no MD5, as those that keep to FIPS 140. */
  static final class WithoutMd5 {
    private WithoutMd5() {}

    public static void main(String[] args) throws Exception {
      Method remove = Provider.class.getDeclaredMethod("removeService", Provider.Service.class);
      remove.setAccessible(true);
      for (Provider provider : Security.getProviders("MessageDigest.MD5")) {
        remove.invoke(provider, provider.getService("MessageDigest", "MD5"));
      }
      UsedDirectories.record(Path.of(args[0]), List.of(Path.of(args[1])));
      System.out.println("noted");
    }
  }

  @Test
  void directoriesAreNotedWithoutMd5() throws IOException {
    List<String> flags = List.of("--add-opens", "java.base/java.security=ALL-UNNAMED");
    try (ChildJvm child = ChildJvm.start(flags, WithoutMd5.class, home, data)) {
      assertThat(child.readLine()).isEqualTo("noted");
    }
    assertThat(noted()).containsExactly(data);
  }

  @Test
  void directoriesAreNotedOnce() throws IOException {
    record();
    record();
    assertThat(entries()).isEqualTo(1);
    assertThat(file).hasContent(data + "\n");
    assertThat(noted()).containsExactly(data);
    assertThat(obstacles).isEmpty();
  }

  @Test
  void pipeIsNotWaitedFor() throws Exception {
    assertThat(new ProcessBuilder("mkfifo", file.toString()).start().waitFor()).isZero();
    assertNotedBesideAnObstacle();
  }

  @Test
  void linkIsNotFollowed() throws IOException {
    Path other = Files.writeString(home.resolve("other"), data + "\n");
    Files.createSymbolicLink(file, other);
    assertNotedBesideAnObstacle();
    assertThat(other).hasContent(data + "\n");
  }

  @Test
  void directoryIsNoList() throws IOException {
    Files.createDirectory(file);
    assertNotedBesideAnObstacle();
  }

  @Test
  void longFileIsNotRead() throws IOException {
    Files.write(file, new byte[(1 << 20) + 1]);
    assertNotedBesideAnObstacle();
  }

  @Test
  void listOfAnotherUserDoesNotCount() throws IOException {
    if (isRoot(data)) {
      Files.writeString(file, data + "\n");
      giveAway(file);
      assertNotedBesideAnObstacle();
    } else {
      // Only root can make another user's; but root's directory is there for everybody.
      Files.writeString(file, "/\n");
      assertThat(noted()).containsExactly(Path.of("/"));
      assertThat(obstacles).singleElement().asString().contains(file.toString());
    }
  }

  @Test
  void listThatIsNoneIsNamed() throws IOException {
    for (String text : List.of("", "data\n", "\u0000/\n", "/a\u0000\n", data + "\n\n" + data)) {
      obstacles.clear();
      Files.writeString(file, text);
      noted();
      assertThat(obstacles).singleElement().asString().contains(file.toString());
    }
  }
}
