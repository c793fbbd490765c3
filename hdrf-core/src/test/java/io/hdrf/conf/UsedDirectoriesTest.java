/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.conf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
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
    UUID name = UUID.nameUUIDFromBytes((data + "\n").getBytes(StandardCharsets.UTF_8));
    file = home.resolve(UsedDirectories.NAME).resolve(name + ".dirs");
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
