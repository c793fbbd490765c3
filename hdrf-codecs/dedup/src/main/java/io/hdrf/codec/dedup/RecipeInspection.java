/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import io.hdrf.codec.dedup.container.NamedBases;
import io.hdrf.codec.dedup.container.Rows;
import io.hdrf.codec.dedup.container.format.ContainerNames;
import io.hdrf.spi.scheme.StoredPayloads;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Tells people which chunks the recipes of a block name, and which bases. For one block. */
final class RecipeInspection {

  private final boolean lists;
  private final List<Run> runs = new ArrayList<>();
  private final Set<Long> containers = new TreeSet<>();

  /** Several frames may name one. */
  private final NamedBases bases = new NamedBases();

  private long chunks;
  private int version;
  private int frame;

  /**
   * @param lists whether every run is listed
   */
  RecipeInspection(boolean lists) {
    this.lists = lists;
  }

  void inspect(StoredPayloads payloads, Map<String, Object> facts) throws IOException {
    try {
      payloads.forEach((blockId, originalLength, payload) -> look(payload));
    } finally {
      facts.put("recipeVersion", version);
      facts.put("chunks", chunks);
      facts.put("containers", names(containers));
      bases.tell(facts);
      if (lists) {
        facts.put("namedList", new Rows(runs.size(), i -> row(runs.get(i))));
      }
    }
  }

  private void look(ByteBuffer payload) throws IOException {
    if (payload.hasRemaining()) {
      version = Math.max(version, payload.get(payload.position()) & 0xFF);
    }
    Recipe.parse(
        payload,
        (container, first, count) -> {
          chunks += count;
          containers.add(container);
          list("chunks", container, first, count);
        },
        (container, first, count) -> {
          bases.add(container, first, count);
          list("bases", container, first, count);
        });
    frame++;
  }

  private void list(String what, long container, int first, int count) {
    if (lists) {
      runs.add(new Run(frame, what, container, first, count));
    }
  }

  private static final class Run {
    private final int frame;
    private final String what;
    private final long container;
    private final int first;
    private final int count;

    Run(int frame, String what, long container, int first, int count) {
      this.frame = frame;
      this.what = what;
      this.container = container;
      this.first = first;
      this.count = count;
    }
  }

  private static Map<String, Object> row(Run run) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("frame", run.frame);
    row.put("names", run.what);
    row.put("container", ContainerNames.hex(run.container));
    row.put("first", run.first);
    row.put("count", run.count);
    return row;
  }

  private static List<String> names(Set<Long> ids) {
    return ids.stream().map(ContainerNames::hex).collect(Collectors.toList());
  }
}
