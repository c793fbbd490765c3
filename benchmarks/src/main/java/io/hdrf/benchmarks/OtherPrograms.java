/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** Programs that store what files have in common once, packages of Debian. */
enum OtherPrograms {
  /** Compresses by default. */
  RESTIC(
      "restic",
      "restic",
      "restic --no-cache init && restic --no-cache backup \"$@\"",
      "du -s -B 1 repository | cut -f 1"),
  BORG(
      "borg",
      "borg, zstd",
      "borg init -e none repository && borg create -C zstd,3 repository::all \"$@\"",
      "du -s -B 1 repository | cut -f 1"),
  /** All files in one stream. */
  ZSTD(
      "zstd",
      "zstd --long=27",
      "cat \"$@\" | zstd -q -3 --long=27 -o all.zst && zstd -q -t --long=27 all.zst",
      "wc -c < all.zst");

  private final String program;
  final String title;
  private final String script;

  OtherPrograms(String program, String title, String store, String count) {
    this.program = program;
    this.title = title;
    this.script = "{ " + store + "; } >&2 && " + count;
  }

  /**
   * Returns what files take, in bytes; nothing where the program is not installed.
   *
   * @param work a directory for files that are needed meanwhile
   */
  OptionalLong bytes(List<Path> files, Path work) throws IOException, InterruptedException {
    if (!ReferenceEncoders.isInstalled(program)) {
      return OptionalLong.empty();
    }
    Path directory = work.resolve(program);
    Directories.delete(directory);
    Files.createDirectories(directory);
    List<String> command = new ArrayList<>(List.of("sh", "-c", script, "sh"));
    files.forEach(file -> command.add(file.toAbsolutePath().toString()));
    ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
    builder.environment().put("RESTIC_REPOSITORY", "repository");
    builder.environment().put("RESTIC_PASSWORD", "none");
    builder.environment().put("BORG_BASE_DIR", directory.toString());
    Path log = work.resolve(program + ".log");
    Process process = builder.redirectError(log.toFile()).start();
    String counted =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).trim();
    if (process.waitFor() != 0 || !counted.matches("\\d{1,18}")) {
      throw new IOException(program + " failed:\n" + Files.readString(log));
    }
    Directories.delete(directory);
    return OptionalLong.of(Long.parseLong(counted));
  }
}
