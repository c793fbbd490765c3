/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.corpus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TarWriterTest {
  @TempDir private Path directory;

  private static byte[] tar(String name, byte[] content) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (TarWriter tar = new TarWriter(bytes)) {
      tar.add(name, content);
    }
    return bytes.toByteArray();
  }

  /** Returns the output of the system's tar for an archive. */
  private static byte[] run(String... command) throws Exception {
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    byte[] out = process.getInputStream().readAllBytes();
    assertThat(process.waitFor()).isZero();
    return out;
  }

  @Test
  void tarReadsWhatItWrites() throws Exception {
    Random random = new Random(1);
    for (int length : new int[] {0, 1, 511, 512, 513, 100_000}) {
      for (String name :
          new String[] {
            "x",
            "x".repeat(100),
            "d/" + "x".repeat(98),
            "d/" + "x".repeat(99),
            "e".repeat(60) + "/" + "d".repeat(60) + "/" + "x".repeat(60),
            "d".repeat(155) + "/" + "x".repeat(100)
          }) {
        byte[] content = new byte[length];
        random.nextBytes(content);
        Path archive = directory.resolve("a.tar");
        Files.write(archive, tar(name, content));
        assertThat(run("tar", "-tf", archive.toString()))
            .asString(StandardCharsets.UTF_8)
            .isEqualTo(name + "\n");
        assertThat(run("tar", "-xOf", archive.toString(), name)).isEqualTo(content);
      }
    }
  }

  @Test
  void sameEntriesGiveSameBytes() throws Exception {
    assertThat(tar("a/b", new byte[700])).isEqualTo(tar("a/b", new byte[700]));
    assertThat(tar("a/b", new byte[700]).length).isEqualTo(512 + 1024 + 1024);
  }

  @Test
  void refusesNamesThatDoNotFit() {
    assertThatThrownBy(() -> tar("x".repeat(101), new byte[0]))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("too long");
  }

  @Test
  void takesTextOfJarsInOrderOfName() throws Exception {
    Path jar = directory.resolve("hadoop-x-1.0-sources.jar");
    try (OutputStream out = Files.newOutputStream(jar);
        ZipOutputStream zip = new ZipOutputStream(out)) {
      for (String name : new String[] {"z/B.java", "a.proto", "logo.png", "m.xml"}) {
        zip.putNextEntry(new ZipEntry(name));
        zip.write(name.getBytes(StandardCharsets.UTF_8));
      }
    }
    Path archive = directory.resolve("b.tar");
    SourceCorpus.tar(List.of(jar), archive);
    assertThat(run("tar", "-tf", archive.toString()))
        .asString(StandardCharsets.UTF_8)
        .isEqualTo("hadoop-x-1.0/a.proto\nhadoop-x-1.0/m.xml\nhadoop-x-1.0/z/B.java\n");
    assertThat(run("tar", "-xOf", archive.toString(), "hadoop-x-1.0/m.xml"))
        .asString(StandardCharsets.UTF_8)
        .isEqualTo("m.xml");
  }
}
