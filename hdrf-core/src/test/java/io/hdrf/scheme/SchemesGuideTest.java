/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.scheme;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.StringReader;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPath;
import javax.xml.xpath.XPathFactory;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

/** The scheme whose source is printed in {@code docs/schemes.md}. */
class SchemesGuideTest extends BaseSchemeTestCase {

  private static final Path GUIDE = Path.of("..", "docs", "schemes.md");
  private static final String SCHEME = "com.acme.AcmeZlibScheme";

  @TempDir static Path plugins;

  @TempDir static Path work;

  private static String guide;

  private static String listing(String language) {
    Matcher found = Pattern.compile("(?s)```" + language + "\n(.*?)```").matcher(guide);
    assertThat(found.find()).as(language).isTrue();
    return found.group(1);
  }

  /** Makes the jar by the guide's own commands, with an installation that has what they name. */
  @BeforeAll
  static void build() throws Exception {
    guide = Files.readString(GUIDE);
    assertThat(guide).contains("\n```\n" + SCHEME + "\n```\n");
    Path dataNode = Files.createDirectories(work.resolve("hdrf/datanode"));
    Path common = Files.createDirectories(work.resolve("hadoop/share/hadoop/common"));
    pack(classesOf(ReductionScheme.class), dataNode.resolve("hdrf-core.jar"));
    Path hadoop = classesOf(Configuration.class);
    Files.createSymbolicLink(common.resolve(hadoop.getFileName()), hadoop);
    Files.writeString(work.resolve("AcmeZlibScheme.java"), listing("java"));
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
    Files.copy(work.resolve("acme-zlib.jar"), plugins.resolve("acme-zlib.jar"));
  }

  private static Path classesOf(Class<?> any) throws URISyntaxException {
    return Path.of(any.getProtectionDomain().getCodeSource().getLocation().toURI());
  }

  private static void pack(Path classes, Path jar) throws IOException {
    if (Files.isRegularFile(classes)) {
      Files.copy(classes, jar);
      return;
    }
    int status =
        ToolProvider.findFirst("jar")
            .orElseThrow()
            .run(System.out, System.err, "cf", jar.toString(), "-C", classes.toString(), ".");
    assertThat(status).isZero();
  }

  /** What the guide says of a test and a project fits this tree. */
  @Test
  void theTestAndTheProjectAreComplete() throws Exception {
    Matcher test = Pattern.compile("(?s)```text\n(package com.acme;.*?)```").matcher(guide);
    assertThat(test.find()).isTrue();
    Path source = work.resolve("AcmeZlibSchemeTest.java");
    Files.writeString(source, test.group(1));
    String classPath =
        work.resolve("classes") + File.pathSeparator + System.getProperty("java.class.path");
    int status =
        ToolProvider.findFirst("javac")
            .orElseThrow()
            .run(
                System.out,
                System.err,
                "-proc:none",
                "-d",
                work.resolve("test-classes").toString(),
                "-cp",
                System.getProperty("surefire.test.class.path", classPath)
                    + File.pathSeparator
                    + classPath,
                source.toString());
    assertThat(status).isZero();
    Document pom = pom(new InputSource(new StringReader(listing("xml(?=\n<project)"))));
    Document own = pom(new InputSource(Path.of("pom.xml").toUri().toString()));
    String version = "/project/parent/version/text()";
    XPath xpath = XPathFactory.newInstance().newXPath();
    assertThat(xpath.evaluate("//dependency[artifactId='hdrf-core'][1]/version/text()", pom))
        .isEqualTo(xpath.evaluate(version, own))
        .isNotEmpty();
  }

  private static Document pom(InputSource source) throws Exception {
    return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(source);
  }

  @Override
  protected ReductionScheme scheme() {
    try {
      return SchemeLoader.load(plugins).byName("acme-zlib");
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  protected Map<String, List<String>> badSettings() {
    return Map.of(
        "hdrf.acme-zlib.frame.size", List.of("4095", "17m"),
        "hdrf.acme-zlib.level", List.of("0", "10", "high"));
  }

  @Override
  protected List<Map<String, String>> otherSettings() {
    return List.of(Map.of("hdrf.acme-zlib.level", "9"), Map.of("hdrf.acme-zlib.frame.size", "4k"));
  }
}
