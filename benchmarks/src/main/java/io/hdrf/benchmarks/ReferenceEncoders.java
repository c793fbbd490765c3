/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * Encoders of differences that are programs, packages of Debian. They start once for each chunk: so
 * only sizes can be compared.
 */
enum ReferenceEncoders {
  XDELTA3("xdelta3, as it is", "xdelta3 -e -f -q -n -A -S none -s"),
  ZSTD("zstd --patch-from", "zstd -q -f -3 --no-check --patch-from");

  final String title;
  private final String command;

  ReferenceEncoders(String title, String command) {
    this.title = title;
    this.command = command;
  }

  private List<String> command() {
    return List.of(command.split(" ", -1));
  }

  String program() {
    return command().get(0);
  }

  boolean isInstalled() {
    return isInstalled(program());
  }

  static boolean isInstalled(String program) {
    for (String directory : System.getenv("PATH").split(":", -1)) {
      if (Files.isExecutable(Path.of(directory, program))) {
        return true;
      }
    }
    return false;
  }

  /** Returns the difference with the program's own header. */
  byte[] encode(ByteBuffer base, ByteBuffer chunk) throws IOException, InterruptedException {
    Path directory = Files.createTempDirectory("delta-");
    Path from = directory.resolve("base");
    Path to = directory.resolve("chunk");
    Path made = directory.resolve("difference");
    try {
      write(from, base);
      write(to, chunk);
      List<String> command = command();
      String last = command.get(command.size() - 1);
      ProcessBuilder builder = new ProcessBuilder();
      builder.command().addAll(command.subList(0, command.size() - 1));
      if (this == ZSTD) {
        builder.command().addAll(List.of(last + "=" + from, to.toString(), "-o", made.toString()));
      } else {
        builder.command().addAll(List.of(last, from.toString(), to.toString(), made.toString()));
      }
      int status = builder.inheritIO().start().waitFor();
      if (status != 0) {
        throw new IOException(builder.command() + " ended with " + status);
      }
      return Files.readAllBytes(made);
    } finally {
      Files.deleteIfExists(made);
      Files.deleteIfExists(to);
      Files.deleteIfExists(from);
      Files.deleteIfExists(directory);
    }
  }

  private static void write(Path file, ByteBuffer bytes) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      ByteBuffer rest = bytes.duplicate();
      while (rest.hasRemaining()) {
        channel.write(rest);
      }
    }
  }
}
