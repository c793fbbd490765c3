/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.jni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.log4j.AppenderSkeleton;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.apache.log4j.spi.LoggingEvent;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NativeLibraryTest {

  private static final int CHECK_VALUE = 0xe3069283;

  @TempDir private Path directory;

  private final List<LoggingEvent> logged = new ArrayList<>();
  private final Logger logger = Logger.getLogger(NativeLibrary.class.getName());
  private final AppenderSkeleton appender =
      new AppenderSkeleton() {
        @Override
        protected void append(LoggingEvent event) {
          logged.add(event);
        }

        @Override
        public void close() {}

        @Override
        public boolean requiresLayout() {
          return false;
        }
      };

  @BeforeEach
  void watch() {
    System.setProperty(NativeLibrary.DIRECTORY, directory.toString());
    logger.addAppender(appender);
  }

  @AfterEach
  void restore() {
    logger.removeAppender(appender);
    System.clearProperty(NativeLibrary.DIRECTORY);
    System.clearProperty(NativeLibrary.DISABLED);
    System.clearProperty(NativeLibrary.INSTRUCTIONS);
  }

  @Test
  void eachOfSeveralLoadersHasTheLibrary() throws IOException {
    List<IsolatedLoader> loaders = Stream.generate(IsolatedLoader::create).limit(3).toList();
    for (IsolatedLoader loader : loaders) {
      assertThat(loader.isLoaded()).as(loader.whyNot()).isEqualTo(NativeLibrary.isLoaded());
      assertThat(loader.implementation()).isEqualTo(Crc32c.implementation());
    }
    for (IsolatedLoader loader : loaders) {
      assertThat(loader.update(0, checkMessage())).isEqualTo(CHECK_VALUE);
    }
    assertThat(Crc32c.update(0, checkMessage())).isEqualTo(CHECK_VALUE);
    assertNoFileLeft();
    assertThat(logged).isEmpty();
  }

  @Test
  void canBeTurnedOff() throws IOException {
    System.setProperty(NativeLibrary.DISABLED, "true");
    IsolatedLoader loader = IsolatedLoader.create();
    assertThat(loader.isLoaded()).isFalse();
    assertThat(loader.whyNot()).contains(NativeLibrary.DISABLED);
    assertGoesOnInJava(loader);
    assertThat(logged).noneMatch(event -> event.getLevel().isGreaterOrEqual(Level.WARN));
  }

  @Test
  void lowerInstructionsCanBeAskedFor() throws IOException {
    assumeTrue(NativeLibrary.isLoaded());
    System.setProperty(NativeLibrary.INSTRUCTIONS, "portable");
    IsolatedLoader loader = IsolatedLoader.create();
    assertThat(loader.isLoaded()).as(loader.whyNot()).isTrue();
    assertThat(loader.implementation()).isEqualTo("native, portable");
    assertThat(loader.update(0, checkMessage())).isEqualTo(CHECK_VALUE);
    assertThat(logged).isEmpty();
    System.setProperty(NativeLibrary.INSTRUCTIONS, "avx512");
    assertThat(IsolatedLoader.create().implementation()).isEqualTo(Crc32c.implementation());
  }

  @Test
  void instructionsThatThereAreNotAreWarnedOf() throws IOException {
    assumeTrue(NativeLibrary.isLoaded());
    System.setProperty(NativeLibrary.INSTRUCTIONS, "avx1024");
    assertThat(IsolatedLoader.create().implementation()).isEqualTo("native, portable");
    assertThat(logged).hasSize(1);
    assertThat(logged.get(0).getRenderedMessage()).contains("avx1024");
  }

  @Test
  void platformWithoutLibraryIsWarnedOfOnce() throws IOException {
    IsolatedLoader loader = IsolatedLoader.withLibrary(new byte[0]);
    assertThat(loader.isLoaded()).isFalse();
    assertThat(loader.whyNot()).contains("/libhdrf.so");
    assertGoesOnInJava(loader);
    assertWarnedOnce(loader.whyNot());
  }

  @Test
  void unusableLibraryIsWarnedOfOnce() throws IOException {
    byte[] garbage = "not a library".getBytes(StandardCharsets.UTF_8);
    IsolatedLoader loader = IsolatedLoader.withLibrary(garbage);
    assertThat(loader.isLoaded()).isFalse();
    assertThat(loader.whyNot()).contains("UnsatisfiedLinkError");
    assertGoesOnInJava(loader);
    assertWarnedOnce(loader.whyNot());
  }

  @Test
  void missingDirectoryIsWarnedOfOnce() throws IOException {
    Path missing = directory.resolve("missing");
    System.setProperty(NativeLibrary.DIRECTORY, missing.toString());
    IsolatedLoader loader = IsolatedLoader.create();
    if (NativeLibrary.isLoaded()) {
      assertThat(loader.whyNot()).contains(missing.toString());
    }
    assertThat(loader.isLoaded()).isFalse();
    assertGoesOnInJava(loader);
    assertWarnedOnce(loader.whyNot());
  }

  private void assertGoesOnInJava(IsolatedLoader loader) throws IOException {
    assertThat(loader.implementation()).isEqualTo("java.util.zip.CRC32C");
    assertThat(loader.update(0, checkMessage())).isEqualTo(CHECK_VALUE);
    assertThat(loader.setNice(0)).isFalse();
    ByteBuffer zeros = ByteBuffer.allocateDirect(5000);
    int[] cuts = new int[3];
    assertThat(loader.cut("FIXED", 2000, zeros, cuts)).isEqualTo(3);
    assertThat(cuts).containsExactly(2000, 4000, 5000);
    assertNoFileLeft();
  }

  private void assertWarnedOnce(String reason) {
    assertThat(logged).hasSize(1);
    assertThat(logged.get(0).getLevel()).isEqualTo(Level.WARN);
    assertThat(logged.get(0).getRenderedMessage()).contains(reason);
  }

  private void assertNoFileLeft() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      assertThat(files).isEmpty();
    }
  }

  private static ByteBuffer checkMessage() {
    byte[] bytes = "123456789".getBytes(StandardCharsets.US_ASCII);
    return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
  }
}
