/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.spi.io;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.Closeable;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Real errors of the kernel, in a separate process, whose language can be chosen. */
class DiskErrorsTest {

  /** Prints the classification of each error. */
  static final class Provoker {
    private Provoker() {}

    public static void main(String[] arguments) throws IOException {
      try (ChannelFile memory = ChannelFile.open(Path.of("/proc/self/mem"))) {
        memory.read(ByteBuffer.allocate(10), 0);
      } catch (IOException e) {
        print(e);
        System.out.println(e.getMessage().startsWith("Input/output error"));
      }
      try (OutputStream full = new FileOutputStream("/dev/full")) {
        full.write(1);
      } catch (IOException e) {
        print(e);
      }
      List<Closeable> open = new ArrayList<>();
      try {
        while (true) {
          open.add(new FileInputStream("/dev/zero"));
        }
      } catch (IOException e) {
        String found = describe(e);
        for (Closeable file : open) {
          file.close();
        }
        System.out.println(found);
      }
      try {
        new FileInputStream("/dev/none").close();
      } catch (IOException e) {
        print(e);
      }
    }

    private static void print(IOException e) {
      System.out.println(describe(e));
    }

    private static String describe(IOException e) {
      return DiskErrors.isReadError(e)
          + " "
          + DiskErrors.isNoSpace(e)
          + " "
          + DiskErrors.isOutOfHandles(e);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"en", "de"})
  void areToldApartInAnyLanguage(String language) throws Exception {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    ProcessBuilder builder =
        new ProcessBuilder(
            "sh",
            "-c",
            "ulimit -n 60; exec \"$0\" \"$@\"",
            java,
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            Provoker.class.getName());
    builder.environment().put("LC_ALL", "C.UTF-8");
    builder.environment().put("LANGUAGE", language);
    Process process = builder.redirectErrorStream(true).start();
    byte[] answer = process.getInputStream().readAllBytes();
    assertThat(new String(answer, StandardCharsets.UTF_8).lines())
        .containsExactly(
            "true false false",
            "true",
            "false true false",
            "false false true",
            "false false false");
  }

  @Test
  void whatIsNotTheDisksStaysWhatItIs() {
    for (IOException other :
        List.of(new ClosedChannelException(), new IOException("Cannot allocate memory"))) {
      assertThat(DiskErrors.ofRead(other)).isSameAs(other);
      assertThat(DiskErrors.isReadError(other)).isFalse();
    }
  }
}
