/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.io;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A JVM with the class path of this one that a test starts, reads from and kills. For one thread.
 */
public final class ChildJvm implements Closeable {

  /** The exit status after SIGKILL. */
  public static final int KILLED = 128 + 9;

  private static final int END_SECONDS = 30;

  private final Process process;
  private final BufferedReader lines;

  private ChildJvm(Process process) {
    this.process = process;
    this.lines =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  /**
   * Runs the main method of a class, with its error stream in ours.
   *
   * @param flags of the JVM, such as {@code -Xmx64m}
   */
  public static ChildJvm start(List<String> flags, Class<?> main, Object... arguments)
      throws IOException {
    return new ChildJvm(launch(List.of(), flags, main, arguments));
  }

  /**
   * As {@link #start}, for a caller who waits for the process itself.
   *
   * @param wrapper a command that runs the command behind it; may be empty
   */
  public static Process launch(
      List<String> wrapper, List<String> flags, Class<?> main, Object... arguments)
      throws IOException {
    List<String> command = new ArrayList<>(wrapper);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(flags);
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(main.getName());
    for (Object argument : arguments) {
      command.add(argument.toString());
    }
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  /** Its standard input, to be closed by the caller. */
  public OutputStream input() {
    return process.getOutputStream();
  }

  /** The next line that it prints; null if it ended. */
  public String readLine() throws IOException {
    return lines.readLine();
  }

  /**
   * Sends SIGKILL and returns when there is no such process any more; what it printed before can
   * still be read.
   *
   * @return its exit status, {@link #KILLED} unless it had ended by itself
   */
  public int kill() throws IOException {
    // Process.destroyForcibly would close the stream that holds what it printed.
    process.toHandle().destroyForcibly();
    return awaitEnd();
  }

  private int awaitEnd() throws IOException {
    try {
      if (process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
        return process.exitValue();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
    throw new IOException("process " + process.pid() + " does not end");
  }

  /** Kills it, if need be, and returns when there is no such process any more. */
  @Override
  public void close() throws IOException {
    process.destroyForcibly();
    awaitEnd();
  }
}
