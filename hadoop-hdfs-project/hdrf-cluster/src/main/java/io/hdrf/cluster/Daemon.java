/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/**
 * A process with its own directory, in its own session (a Ctrl-C at the terminal doesn't reach it).
 * The process id is written to {@code pid} before the program runs, so that a daemon whose starter
 * was killed can be found again; a process counts as this daemon only if its command line names the
 * directory, so a reused id is never killed. For one thread at a time.
 */
public class Daemon {
  private static final String MARK = "-Dhdrf.daemon=";

  /** Writes its own process id, then becomes the daemon under the same id. */
  private static final String LAUNCHER =
      "echo $$ > \"$1.new\" && mv -f \"$1.new\" \"$1\" && shift && exec setsid \"$@\"";

  private static final int MAX_LOOKS = 20;
  private static final long BETWEEN_LOOKS_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  private final String name;
  private final Path directory;

  Daemon(String name, Path directory) {
    this.name = name;
    this.directory = directory.toAbsolutePath().normalize();
  }

  /** Returns the name for people: {@code NameNode}, {@code DataNode 0}. */
  public final String name() {
    return name;
  }

  /** Returns the directory of this daemon alone: {@code pid}, {@code log}, {@code out}, data. */
  public final Path directory() {
    return directory;
  }

  /** Returns the log file, written by log4j. */
  public final Path log() {
    return directory.resolve("log");
  }

  /** Returns the file with standard output and error. */
  public final Path out() {
    return directory.resolve("out");
  }

  private Path pidFile() {
    return directory.resolve("pid");
  }

  /** Returns the running process, or empty. */
  public final Optional<ProcessHandle> process() throws IOException {
    String text;
    try {
      text = Files.readString(pidFile()).trim();
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
    if (!text.matches("\\d{1,10}")) {
      return Optional.empty();
    }
    long pid = Long.parseLong(text);
    return isThis(pid) ? ProcessHandle.of(pid) : Optional.empty();
  }

  /** Returns an argument of the command line that identifies the process. */
  String mark() {
    return MARK + directory;
  }

  private boolean isThis(long pid) {
    for (int attempt = 0; ; attempt++) {
      byte[] commandLine;
      try {
        commandLine = Files.readAllBytes(Path.of("/proc", Long.toString(pid), "cmdline"));
      } catch (IOException e) {
        return false;
      }
      // It is empty while the process executes another program, and when it has ended.
      if (commandLine.length > 0 || attempt == MAX_LOOKS) {
        String arguments = new String(commandLine, StandardCharsets.UTF_8);
        return List.of(arguments.split("\0", -1)).contains(mark());
      }
      LockSupport.parkNanos(BETWEEN_LOOKS_NANOS);
    }
  }

  public final boolean isAlive() throws IOException {
    return process().isPresent();
  }

  /** Returns processor time, device reads and writes since the process started. */
  public final ProcessUsage usage() throws IOException {
    ProcessHandle handle =
        process().orElseThrow(() -> new ClusterException(name + " is not running"));
    return ProcessUsage.of(handle.pid());
  }

  /**
   * Starts the process and returns once it runs under its own command line.
   *
   * @param host the host where it runs
   * @param flags for the JVM
   * @param program main class and arguments
   */
  final Process launch(
      Host host, HadoopRuntime runtime, String classPath, List<String> flags, List<String> program)
      throws IOException {
    List<String> jvm = new ArrayList<>();
    jvm.add(mark());
    jvm.add("-Dhdrf.log=" + log());
    jvm.add("-Dhadoop.log.dir=" + directory);
    jvm.addAll(flags);
    jvm.add("-cp");
    jvm.add(classPath);
    List<String> command = new ArrayList<>(runtime.javaCommand(jvm));
    command.addAll(program);
    return launch(host.commandFor(command));
  }

  /**
   * Starts the process and returns once it runs under its own command line.
   *
   * @param program with its arguments, one of them {@link #mark}
   */
  final Process launch(List<String> program) throws IOException {
    if (isAlive()) {
      throw new ClusterException(name + " is already running in " + directory);
    }
    Files.createDirectories(directory);
    List<String> command = new ArrayList<>(List.of("sh", "-c", LAUNCHER, "sh"));
    command.add(pidFile().toString());
    command.addAll(program);
    Files.deleteIfExists(pidFile());
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectInput(Path.of("/dev/null").toFile())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(out().toFile()));
    Environment.clean(builder.environment());
    Process process = builder.start();
    awaitLaunched(process);
    return process;
  }

  /**
   * Waits until the process is under its final command line, so that {@link #isAlive} can see it.
   */
  private void awaitLaunched(Process process) throws IOException {
    Waiting.until(
        Duration.ofSeconds(30),
        () -> !process.isAlive() || isAlive(),
        () -> name + " did not start; see " + out());
    if (!process.isAlive() && process.exitValue() != 0) {
      throw new ClusterException(name + " ended at once:\n" + lastWords());
    }
  }

  /** Sends SIGTERM; kills the process if it hasn't ended within {@code patience}. */
  public final void stop(Duration patience) throws IOException {
    end(false, patience);
  }

  /** Sends SIGKILL, and waits until the process is gone. */
  public final void kill() throws IOException {
    end(true, Duration.ofSeconds(30));
  }

  /** Freezes the process (SIGSTOP): connections stay, but it answers nothing. */
  public final void suspend() throws IOException {
    send("-STOP");
  }

  /** Continues the process after {@link #suspend}. */
  public final void resume() throws IOException {
    send("-CONT");
  }

  private void send(String signal) throws IOException {
    ProcessHandle handle =
        process().orElseThrow(() -> new ClusterException(name + " is not running"));
    SystemCommand.run(List.of("kill", signal, Long.toString(handle.pid())));
  }

  private void end(boolean atOnce, Duration patience) throws IOException {
    Optional<ProcessHandle> running = process();
    if (running.isPresent()) {
      ProcessHandle handle = running.get();
      if (atOnce) {
        handle.destroyForcibly();
      } else {
        handle.destroy();
      }
      if (!ended(handle, patience)) {
        handle.destroyForcibly();
        if (!ended(handle, Duration.ofSeconds(30))) {
          throw new ClusterException(name + " (process " + handle.pid() + ") can't be killed");
        }
      }
    }
    Files.deleteIfExists(pidFile());
  }

  private boolean ended(ProcessHandle handle, Duration patience) throws IOException {
    try {
      handle.onExit().get(patience.toMillis(), TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException e) {
      // A process that is not a child of this one may remain as a zombie: then it has no command
      // line.
      return !isThis(handle.pid());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ClusterException("Interrupted while " + name + " was stopping", e);
    } catch (ExecutionException e) {
      throw new ClusterException("Can't wait for " + name, e);
    }
  }

  /** Sends SIGTERM without waiting: for shutdown hooks that end several daemons at once. */
  final void signal() throws IOException {
    process().ifPresent(ProcessHandle::destroy);
  }

  /** Returns the last lines of output and log, for a message about a failed start. */
  final String lastWords() throws IOException {
    StringBuilder words = new StringBuilder();
    for (Path file : List.of(out(), log())) {
      if (Files.exists(file)) {
        List<String> lines =
            new String(Files.readAllBytes(file), StandardCharsets.UTF_8)
                .lines()
                .filter(line -> !line.startsWith("\tat "))
                .toList();
        words.append("  ").append(file).append(":\n");
        lines
            .subList(Math.max(0, lines.size() - 12), lines.size())
            .forEach(line -> words.append("    ").append(line).append('\n'));
      }
    }
    return words.toString();
  }
}
