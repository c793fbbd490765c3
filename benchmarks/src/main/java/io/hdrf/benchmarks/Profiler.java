/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import io.hdrf.cluster.DataNode;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/** Loads async-profiler into DataNodes. For one thread. */
final class Profiler {

  /** Processor time of a thread between two samples: longer than a tick of any kernel's timer. */
  static final long INTERVAL_NANOS = 10_000_000;

  private final Path directory;
  private final Path library;

  /**
   * @param directory gets the library and the samples
   */
  Profiler(Path directory) throws IOException {
    this.directory = Files.createDirectories(directory);
    this.library = directory.resolve("libasyncProfiler.so");
    String name = "linux-" + (System.getProperty("os.arch").equals("aarch64") ? "arm64" : "x64");
    try (InputStream in = Profiler.class.getResourceAsStream("/" + name + "/libasyncProfiler.so")) {
      if (in == null) {
        throw new FileNotFoundException("async-profiler has no library for " + name);
      }
      Files.copy(in, library, StandardCopyOption.REPLACE_EXISTING);
    }
  }

  /** Begins to sample the processor time of all threads. */
  void start(List<DataNode> nodes) throws IOException, InterruptedException {
    for (DataNode node : nodes) {
      call(node, "start,event=ctimer,interval=" + INTERVAL_NANOS + ",threads");
    }
  }

  /** Ends it, and writes {@link #samples}. */
  void stop(List<DataNode> nodes) throws IOException, InterruptedException {
    for (DataNode node : nodes) {
      call(node, "stop,collapsed,threads,file=" + samples(node));
    }
  }

  /** Stacks with their threads, and how often each was seen, one a line. */
  Path samples(DataNode node) {
    return directory.resolve("datanode-" + node.index() + ".txt");
  }

  private void call(DataNode node, String command) throws IOException, InterruptedException {
    Path out = directory.resolve("jcmd.out");
    int status =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                Long.toString(node.process().orElseThrow().pid()),
                "JVMTI.agent_load",
                library.toString(),
                // Quoted, since jcmd takes what has an equals sign for an option of its own.
                '"' + command + '"')
            .redirectErrorStream(true)
            .redirectOutput(out.toFile())
            .start()
            .waitFor();
    String said = Files.readString(out);
    if (status != 0 || !said.contains("return code: 0")) {
      throw new IOException("jcmd: " + said);
    }
  }
}
