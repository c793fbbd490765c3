/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import io.hdrf.cluster.Host;
import io.hdrf.cluster.ProcessUsage;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A running {@link UploadClient}. For one thread. */
final class UploadProcess implements Closeable {

  /** How a write went: seconds until close had returned, and the length of the file. */
  record Written(double seconds, long storedBytes) {}

  private final Process process;
  private final PrintWriter requests;
  private final BufferedReader answers;

  /**
   * Starts it with the class path of this JVM.
   *
   * @param host where it runs
   * @param conf directory of Hadoop's configuration
   */
  UploadProcess(Host host, Path conf) throws IOException {
    List<String> java =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx1500m",
                "-Djava.net.preferIPv4Stack=true",
                "--add-opens",
                "java.base/java.lang=ALL-UNNAMED"));
    String log4j = System.getProperty("log4j.configuration");
    if (log4j != null) {
      java.add("-Dlog4j.configuration=" + log4j);
    }
    java.addAll(
        List.of(
            "-cp",
            System.getProperty("java.class.path"),
            UploadClient.class.getName(),
            conf.toString()));
    process =
        new ProcessBuilder(host.commandFor(java))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    requests = new PrintWriter(process.outputWriter(StandardCharsets.UTF_8), true);
    answers = process.inputReader(StandardCharsets.UTF_8);
  }

  /**
   * Has it take data into memory.
   *
   * @param length of all the data
   */
  void load(long length, List<Piece> pieces) throws IOException {
    List<String> request = new ArrayList<>(List.of("load", Long.toString(length)));
    for (Piece piece : pieces) {
      request.add(piece.file().toString());
      request.add(Integer.toString(piece.shift()));
    }
    ask(request);
  }

  /** Has it write what it has in memory. */
  Written write(ClientCodec codec, int replication, String path) throws IOException {
    String[] answer = ask(List.of("write", codec.name(), Integer.toString(replication), path));
    return new Written(Double.parseDouble(answer[1]), Long.parseLong(answer[2]));
  }

  /** Has it compare a file with what it has in memory. */
  void verify(ClientCodec codec, String path) throws IOException {
    ask(List.of("verify", codec.name(), path));
  }

  void delete(String path) throws IOException {
    ask(List.of("delete", path));
  }

  /** What it has used since its start. */
  ProcessUsage usage() throws IOException {
    return ProcessUsage.of(process.pid());
  }

  private String[] ask(List<String> request) throws IOException {
    requests.println(String.join("\t", request));
    String answer = answers.readLine();
    if (answer == null) {
      throw new IOException("The client has ended during: " + String.join(" ", request));
    }
    String[] fields = answer.split("\t", -1);
    if (!fields[0].equals("ok")) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "The client could not %s: %s",
              request.get(0),
              fields[fields.length - 1]));
    }
    return fields;
  }

  @Override
  public void close() {
    requests.close();
    process.destroy();
  }
}
