/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.hdrf.scheme.SchemeRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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
      "Show what a DataNode's block file holds, and whether it is sound.",
      "It is compared with the .meta file beside it, and its tag with the volume's secret.",
      "The exit code is 1 if it is damaged, and 0 if it is sound or can't be verified."
    })
final class InspectCommand implements Callable<Integer> {
  @Parameters(paramLabel = "FILE", description = "A block file, plain or reduced.")
  private Path file;

  @Option(names = "--json", description = "Print JSON, with every frame.")
  private boolean json;

  @Option(names = "--frames", description = "List every frame.")
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
    Path directory = plugins == null ? Home.dist().resolve("plugins") : plugins;
    BlockInspection inspection =
        BlockInspection.of(file, SchemeRegistry.load(directory), json || frames);
    Terminal terminal = Terminal.system();
    if (json) {
      terminal.result(
          new ObjectMapper()
              .enable(SerializationFeature.INDENT_OUTPUT)
              .writeValueAsString(inspection.facts()));
    } else {
      print(terminal, inspection.facts());
    }
    return inspection.verdict() == BlockInspection.Verdict.DAMAGED
        ? ExitCode.DIFFERENT
        : ExitCode.OK;
  }

  private static void print(Terminal terminal, Map<String, Object> facts) {
    for (Map.Entry<String, Object> fact : facts.entrySet()) {
      if (!fact.getKey().equals("frameList")) {
        terminal.result(String.format("%-22s %s", label(fact.getKey()), text(fact)));
      }
    }
    if (facts.get("frameList") instanceof List<?> list) {
      List<List<String>> rows = new ArrayList<>();
      for (Object item : list) {
        Map<?, ?> frame = (Map<?, ?>) item;
        if (rows.isEmpty()) {
          List<String> head = new ArrayList<>(List.of("frame"));
          frame.keySet().forEach(key -> head.add(label(key.toString())));
          rows.add(head);
        }
        List<String> row = new ArrayList<>(List.of(Integer.toString(rows.size() - 1)));
        frame.values().forEach(value -> row.add(value.toString()));
        rows.add(row);
      }
      terminal.result("");
      terminal.table(rows);
    }
  }

  private static String text(Map.Entry<String, Object> fact) {
    Object value = fact.getValue();
    if (fact.getKey().equals("ratio")) {
      return Sizes.percent((Double) value);
    }
    if (value instanceof Long bytes && fact.getKey().endsWith("Bytes")) {
      return bytes + " (" + Sizes.bytes(bytes) + ")";
    }
    return value instanceof List<?> list
        ? String.join(",", list.stream().map(Object::toString).toList())
        : value.toString();
  }

  private static String label(String key) {
    return key.replaceAll("([A-Z])", " $1").toLowerCase(Locale.ROOT);
  }
}
