/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.scheme;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.spi.scheme.ReductionScheme;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import org.apache.hadoop.conf.Configuration;

/** A guide in {@code docs/} with a plug-in's source, and the commands that make its jar. */
public final class Guide {

  private final String text;
  private final Path work;

  /**
   * @param work an empty directory, as a newcomer would have
   */
  public Guide(String name, Path work) throws IOException {
    this.text = Files.readString(Path.of("..", "docs", name));
    this.work = work;
  }

  public String text() {
    return text;
  }

  /** The first listing in a language. */
  public String listing(String language) {
    return found("(?s)```" + language + "\n(.*?)```");
  }

  private String found(String pattern) {
    Matcher found = Pattern.compile(pattern).matcher(text);
    assertThat(found.find()).as(pattern).isTrue();
    return found.group(1);
  }

  /**
   * Makes the jar by the guide's own commands, with an installation that has what they name.
   *
   * @param source the source file's name
   * @param jar what the commands make
   */
  public Path build(String source, String jar) throws Exception {
    Path dataNode = Files.createDirectories(work.resolve("hdrf/datanode"));
    Path common = Files.createDirectories(work.resolve("hadoop/share/hadoop/common"));
    pack(classesOf(ReductionScheme.class), dataNode.resolve("hdrf-core.jar"));
    Path hadoop = classesOf(Configuration.class);
    Files.createSymbolicLink(common.resolve(hadoop.getFileName()), hadoop);
    Files.writeString(work.resolve(source), listing("java"));
    ProcessBuilder builder =
        new ProcessBuilder("sh", "-e", "-c", listing("sh"))
            .directory(work.toFile())
            .redirectErrorStream(true);
    Map<String, String> environment = builder.environment();
    environment.put("HDRF", work.resolve("hdrf").toString());
    environment.put("HADOOP_HOME", work.resolve("hadoop").toString());
    environment.merge(
        "PATH", System.getProperty("java.home") + "/bin", (old, jdk) -> jdk + ":" + old);
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    return work.resolve(jar);
  }

  /** Compiles the test that the guide prints. */
  public void compileTest(String name) throws IOException {
    Path source = work.resolve(name);
    Files.writeString(source, found("(?s)```text\n(package com.acme;.*?)```"));
    String classPath =
        work.resolve("classes") + File.pathSeparator + System.getProperty("java.class.path");
    run(
        "javac",
        "-proc:none",
        "-d",
        work.resolve("test-classes").toString(),
        "-cp",
        System.getProperty("surefire.test.class.path", classPath) + File.pathSeparator + classPath,
        source.toString());
  }

  private static Path classesOf(Class<?> any) throws URISyntaxException {
    return Path.of(any.getProtectionDomain().getCodeSource().getLocation().toURI());
  }

  private static void pack(Path classes, Path jar) throws IOException {
    if (Files.isRegularFile(classes)) {
      Files.copy(classes, jar);
      return;
    }
    run("jar", "cf", jar.toString(), "-C", classes.toString(), ".");
  }

  private static void run(String tool, String... arguments) {
    PrintStream out = System.out;
    assertThat(ToolProvider.findFirst(tool).orElseThrow().run(out, out, arguments))
        .as(tool)
        .isZero();
  }
}
