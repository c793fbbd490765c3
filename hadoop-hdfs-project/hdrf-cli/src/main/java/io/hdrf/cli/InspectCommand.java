/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import io.hdrf.scheme.SchemeRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.AbstractList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code hdrf inspect}. */
@Command(
    name = "inspect",
    mixinStandardHelpOptions = true,
    description = {
      "Show what a DataNode's block file holds, or a container of dedup, and whether it is sound.",
      "A block is compared with the .meta file beside it, and its tag with the volume's secret; of"
          + " a block of dedup it shows which chunks it names, and which bases. Of a container the"
          + " stored bytes of groups are compared with their checksums and with the directory.",
      "The exit code is 1 if it is damaged, 3 if the disk can't read it, and 0 if it is sound or"
          + " can't be verified, as what a later version wrote."
    })
final class InspectCommand implements Callable<Integer> {
  @Parameters(
      paramLabel = "FILE",
      description = "A block file, plain or reduced, or a container (.hdc, .hdc.open).")
  private Path file;

  @Option(names = "--json", description = "Print JSON, with all that --frames lists.")
  private boolean json;

  @Option(
      names = "--frames",
      description = "List every frame and what it names; of a container, every group and chunk.")
  private boolean frames;

  @Option(
      names = "--plugins",
      paramLabel = "DIR",
      description = "The jars of schemes. Default: those that are built here.")
  private Path plugins;

  @Override
  public Integer call() throws IOException {
    if (!Files.isRegularFile(file)) {
      throw new IllegalArgumentException("No file " + file);
    }
    Path directory = Home.plugins(plugins);
    BlockInspection inspection =
        BlockInspection.of(file, SchemeRegistry.load(directory), json || frames);
    Terminal terminal = Terminal.system();
    if (json) {
      terminal.json(inspection.facts());
    } else {
      print(terminal, inspection.facts());
    }
    return switch (inspection.verdict()) {
      case DAMAGED -> ExitCode.DIFFERENT;
      case READ_ERROR -> ExitCode.FAILED;
      default -> ExitCode.OK;
    };
  }

  static void print(Terminal terminal, Map<String, Object> facts) {
    for (Map.Entry<String, Object> fact : facts.entrySet()) {
      if (!isTable(fact)) {
        terminal.result(String.format("%-22s %s", label(fact.getKey()), text(fact)));
      }
    }
    for (Map.Entry<String, Object> fact : facts.entrySet()) {
      if (isTable(fact) && fact.getValue() instanceof List<?> list && !list.isEmpty()) {
        terminal.result("");
        terminal.table(rows(list));
      }
    }
  }

  private static boolean isTable(Map.Entry<String, Object> fact) {
    return fact.getKey().endsWith("List");
  }

  /** Returns heads and cells, each row made when it is asked for: there may be many. */
  private static List<List<String>> rows(List<?> list) {
    List<String> heads =
        ((Map<?, ?>) list.get(0)).keySet().stream().map(key -> label(key.toString())).toList();
    return new AbstractList<>() {
      @Override
      public List<String> get(int index) {
        return index == 0
            ? heads
            : ((Map<?, ?>) list.get(index - 1)).values().stream().map(Object::toString).toList();
      }

      @Override
      public int size() {
        return list.size() + 1;
      }
    };
  }

  private static String text(Map.Entry<String, Object> fact) {
    Object value = fact.getValue();
    if (fact.getKey().equals("ratio")) {
      return Sizes.percent((Double) value);
    }
    if (value instanceof Long bytes && fact.getKey().endsWith("Bytes")) {
      return bytes + " (" + Sizes.bytes(bytes) + ")";
    }
    if (value instanceof List<?> list) {
      return list.isEmpty()
          ? "none"
          : String.join(",", list.stream().map(Object::toString).toList());
    }
    return value.toString();
  }

  private static String label(String key) {
    return key.replaceAll("([A-Z])", " $1").toLowerCase(Locale.ROOT);
  }
}
