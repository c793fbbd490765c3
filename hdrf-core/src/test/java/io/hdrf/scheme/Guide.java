/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.scheme;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.spi.scheme.ReductionScheme;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import org.apache.hadoop.conf.Configuration;

/**
 * A guide in {@code docs/} for writing a plug-in: its files, each listed below its name, and its
 * commands, with their expected output.
 */
public final class Guide {

  private static final Pattern FILE =
      Pattern.compile("`([\\w./-]+)`:\n\n```\\w*\n(.*?)```", Pattern.DOTALL);

  private static final Pattern COMMANDS =
      Pattern.compile(
          "```sh\n(.*?)```(?:(?:(?!```|\n#).)*?\\bprints\n\n```\n(.*?)```)?", Pattern.DOTALL);

  /**
   * Commands.
   *
   * @param lines for a shell
   * @param prints their output according to the guide; null if it shows none
   */
  public record Commands(String lines, String prints) {}

  private final String text;
  private final Path work;

  /**
   * @param work an empty directory, as a newcomer would have
   */
  public Guide(Path page, Path work) throws IOException {
    this.text = Files.readString(page);
    this.work = work;
  }

  /** Writes the guide's files. */
  public void writeFiles() throws IOException {
    Matcher file = FILE.matcher(text);
    while (file.find()) {
      Path path = work.resolve(file.group(1));
      Files.createDirectories(path.getParent());
      Files.writeString(path, file.group(2));
    }
  }

  /** All commands, in order. */
  public List<Commands> commands() {
    List<Commands> all = new ArrayList<>();
    Matcher found = COMMANDS.matcher(text);
    while (found.find()) {
      all.add(new Commands(found.group(1), found.group(2)));
    }
    return all;
  }

  /**
   * Runs commands, which must succeed.
   *
   * @param environment variables with the places of HDRF and Hadoop
   * @return what they wrote to standard output
   */
  public String run(String lines, Map<String, String> environment)
      throws IOException, InterruptedException {
    Path log = work.resolve("commands.log");
    ProcessBuilder builder =
        new ProcessBuilder("sh", "-e", "-c", lines)
            .directory(work.toFile())
            .redirectError(log.toFile());
    Map<String, String> all = builder.environment();
    all.keySet().removeIf(name -> name.matches("(HADOOP|HDFS|HDRF)_.*|.*JAVA_OPTIONS"));
    all.putAll(environment);
    all.put("JAVA_HOME", System.getProperty("java.home"));
    all.merge("PATH", System.getProperty("java.home") + "/bin", (old, jdk) -> jdk + ":" + old);
    Process process = builder.start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as("%s\n%s\n%s", lines, output, Files.readString(log)).isZero();
    return output;
  }

  /**
   * Makes the jar by the guide's first commands, with an installation that has the files they name.
   *
   * @param jar what the commands make
   */
  public Path build(String jar) throws Exception {
    Path dataNode = Files.createDirectories(work.resolve("hdrf/datanode"));
    Path common = Files.createDirectories(work.resolve("hadoop/share/hadoop/common"));
    pack(classesOf(ReductionScheme.class), dataNode.resolve("hdrf-core.jar"));
    Path hadoop = classesOf(Configuration.class);
    Files.createSymbolicLink(common.resolve(hadoop.getFileName()), hadoop);
    writeFiles();
    run(
        commands().get(0).lines(),
        Map.of(
            "HDRF", work.resolve("hdrf").toString(),
            "HADOOP_HOME", work.resolve("hadoop").toString()));
    return work.resolve(jar);
  }

  private static Path classesOf(Class<?> any) throws URISyntaxException {
    return Path.of(any.getProtectionDomain().getCodeSource().getLocation().toURI());
  }

  private static void pack(Path classes, Path jar) throws IOException {
    if (Files.isRegularFile(classes)) {
      Files.copy(classes, jar);
      return;
    }
    String[] arguments = {"cf", jar.toString(), "-C", classes.toString(), "."};
    assertThat(ToolProvider.findFirst("jar").orElseThrow().run(System.out, System.out, arguments))
        .isZero();
  }
}
