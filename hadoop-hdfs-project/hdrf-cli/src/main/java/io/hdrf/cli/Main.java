/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The {@code hdrf} command. */
@Command(
    name = "hdrf",
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    description = "HDFS DataNodes that store their blocks in reduced form.",
    synopsisSubcommandLabel = "COMMAND",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done, and nothing differs",
      "1:done, and something differs or failed its test",
      "2:the command line can't be understood",
      "3:the command could not do its work, or not look at everything"
    },
    subcommands = {
      DemoCommand.class,
      EstimateCommand.class,
      ClusterCommand.class,
      InspectCommand.class,
      ReportCommand.class,
      BlocksCommand.class,
      BlockCommand.class,
      FsckCommand.class,
      RebuildMetadataCommand.class,
      GcCommand.class,
      ConvertCommand.class,
      InflateCommand.class,
      VerifyCommand.class,
      DistCommand.class,
      InstallCommand.class,
      UninstallCommand.class,
      TestCommand.class,
      CorpusCommand.class,
      DocsCommand.class,
      CommandLine.HelpCommand.class
    })
public final class Main implements Runnable {
  /** Commands that need HDRF's source tree. */
  private static final List<String> OF_SOURCE_TREE = List.of("dist", "test", "corpus", "docs");

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "Which command?");
  }

  /** Runs the command and exits with its code. */
  public static void main(String[] args) {
    System.exit(run(hasHadoop() ? commandLine() : withoutHadoop(), args));
  }

  /** Runs the command and returns its exit code, which the JVM would choose for an error. */
  static int run(CommandLine commands, String... args) {
    try {
      return commands.execute(args);
    } catch (OutOfMemoryError e) {
      System.err.println("hdrf: " + e + "; HDRF_HEAP=4g gives this command more memory");
    } catch (Error e) {
      System.err.println("hdrf: " + e);
    }
    return ExitCode.FAILED;
  }

  /** The commands that work without Hadoop's classes; bin/hdrf starts this where it finds none. */
  @Command(
      name = "hdrf",
      mixinStandardHelpOptions = true,
      versionProvider = Version.class,
      description = {
        "Installs HDRF in a Hadoop.",
        "Set HADOOP_HOME for the other commands: they need the jars of Hadoop."
      },
      synopsisSubcommandLabel = "COMMAND",
      subcommands = {InstallCommand.class, UninstallCommand.class, CommandLine.HelpCommand.class})
  static final class WithoutHadoop implements Runnable {
    @Spec private CommandSpec spec;

    @Override
    public void run() {
      throw new ParameterException(
          spec.commandLine(), "Which command? Set HADOOP_HOME for others than these.");
    }
  }

  private static boolean hasHadoop() {
    return Main.class.getResource("/org/apache/hadoop/conf/Configuration.class") != null;
  }

  static CommandLine commandLine() {
    CommandLine commands = ClusterCommand.configure(new CommandLine(new Main()));
    if (Home.isDistribution()) {
      OF_SOURCE_TREE.forEach(name -> commands.getCommandSpec().removeSubcommand(name));
    }
    return withHandlers(commands);
  }

  static CommandLine withoutHadoop() {
    return withHandlers(new CommandLine(new WithoutHadoop()));
  }

  private static CommandLine withHandlers(CommandLine commands) {
    return commands
        .setExecutionExceptionHandler(
            (e, commandLine, parsed) -> {
              if (!(e instanceof IOException) && !(e instanceof IllegalArgumentException)) {
                throw e;
              }
              commandLine.getErr().println("hdrf: " + message(e));
              commandLine.getErr().flush();
              return e instanceof IllegalArgumentException ? ExitCode.USAGE : ExitCode.FAILED;
            })
        .setExitCodeExceptionMapper(
            e -> e instanceof ParameterException ? ExitCode.USAGE : ExitCode.FAILED);
  }

  /** Returns a failure's message for people. */
  static String message(Throwable e) {
    if (e instanceof FileSystemException) {
      // Its message is only the file.
      return e.getClass().getSimpleName().replaceFirst("Exception$", "") + ": " + e.getMessage();
    }
    return e.getMessage() == null || e instanceof Error ? e.toString() : e.getMessage();
  }

  /** Reads the version from the jar's manifest. */
  static String version() {
    String version = Main.class.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }

  static final class Version implements CommandLine.IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {"hdrf " + version()};
    }
  }
}
