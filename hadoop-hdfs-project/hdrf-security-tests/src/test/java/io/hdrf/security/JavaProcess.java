/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.security;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A JVM with the flags of {@code bin/hdrf} and nothing of the caller's Hadoop or Kerberos. */
public final class JavaProcess {

  /** A command and the lines that continue it. */
  private static final Pattern COMMAND = Pattern.compile("exec \"[^\"]*java\"(?:[^\\n]*\\\\\\n)*");

  private static final Pattern MODULE_FLAG = Pattern.compile("--add-(?:opens|exports) (\\S+)");

  private final ProcessBuilder builder;

  /**
   * @param classPath directories and jars
   * @param arguments the main class, and its arguments
   */
  public JavaProcess(Realm realm, String classPath, String... arguments) throws IOException {
    List<String> words = new ArrayList<>();
    words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    words.add("-Xmx256m");
    words.addAll(moduleFlags());
    words.add("-Djava.net.preferIPv4Stack=true");
    Path home = command().toAbsolutePath().getParent().getParent();
    words.add("-Dlog4j.configuration=" + home.resolve("conf/cli-log4j.properties").toUri());
    words.add("-Djava.security.krb5.conf=" + realm.krb5Conf());
    words.addAll(List.of("-cp", classPath));
    words.addAll(List.of(arguments));
    builder = new ProcessBuilder(words).redirectErrorStream(true);
    builder
        .environment()
        .keySet()
        .removeIf(name -> name.matches("(HADOOP|HDRF|KRB5).*|.*_OPTIONS"));
    with("KRB5CCNAME", realm.directory().resolve("no-ticket-cache").toString());
  }

  private static Path command() {
    return Path.of(System.getProperty("hdrf.test.command"));
  }

  /**
   * Returns the flags of the command, which are the same in the source tree and in a distribution.
   */
  static List<String> moduleFlags() throws IOException {
    String script = Files.readString(command());
    Set<List<String>> found = new LinkedHashSet<>();
    Matcher command = COMMAND.matcher(script);
    while (command.find()) {
      found.add(
          MODULE_FLAG
              .matcher(command.group())
              .results()
              .flatMap(flag -> Stream.of(flag.group().split(" ")))
              .collect(Collectors.toList()));
    }
    if (found.size() != 1) {
      throw new AssertionError("bin/hdrf starts Java with different flags: " + found);
    }
    return found.iterator().next();
  }

  /** Returns this JVM's class path. */
  public static String ownClassPath() {
    return System.getProperty("java.class.path");
  }

  /** Returns the place that a class was loaded from. */
  public static String location(Class<?> type) {
    return new File(type.getProtectionDomain().getCodeSource().getLocation().getPath()).toString();
  }

  public JavaProcess with(String name, String value) {
    builder.environment().put(name, value);
    return this;
  }

  /** Sets the principal and keytab with which the process logs in by itself. */
  public JavaProcess withKeytab(String principal, Path keytab) {
    return with("KRB5PRINCIPAL", principal).with("KRB5KEYTAB", keytab.toString());
  }

  /** Starts it; its standard error goes to its standard output. */
  public Process start() throws IOException {
    return builder.start();
  }

  /**
   * The result of a process.
   *
   * @param status its exit status
   * @param output all its output
   */
  public record Result(int status, String output) {}

  /** Runs it to its end. */
  public Result run() throws IOException, InterruptedException {
    Process process = start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Result(process.waitFor(), output);
  }
}
