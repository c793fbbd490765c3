/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;

/**
 * Runs {@code hdrf estimate}. For one thread.
 *
 * @param work for files that are needed meanwhile
 * @param conf the directory with the settings of the cluster that is estimated
 * @param blockSize of that cluster, in bytes
 */
record SpaceEstimate(Path work, Path conf, long blockSize) {

  /** What files would take on a volume, in bytes. */
  long of(String chain, String chunkSize, List<Path> files)
      throws IOException, InterruptedException {
    Path log = work.resolve("estimate.out");
    Path json = work.resolve("estimate.json");
    List<String> arguments = new ArrayList<>();
    arguments.add(Directories.home().resolve("bin/hdrf").toString());
    arguments.add("estimate");
    arguments.addAll(List.of("--chain", chain, "--chunk-size", chunkSize));
    arguments.addAll(List.of("--block-size", Long.toString(blockSize)));
    arguments.addAll(List.of("--conf", conf.toString(), "--work-dir", work.toString()));
    arguments.add("--json");
    files.forEach(file -> arguments.add(file.toString()));
    int status =
        new ProcessBuilder(arguments)
            .redirectError(log.toFile())
            .redirectOutput(json.toFile())
            .start()
            .waitFor();
    if (status != 0) {
      throw new IOException(
          "hdrf estimate ended with status " + status + ":\n" + Files.readString(log));
    }
    JsonNode estimates = new ObjectMapper().readTree(json.toFile()).path("estimates");
    if (estimates.size() != 1) {
      throw new IOException("hdrf estimate made " + estimates.size() + " estimates");
    }
    JsonNode estimate = estimates.get(0);
    long physical = estimate.path("physicalBytes").asLong();
    // The estimate is of a volume that holds the index, too.
    return inRedis() ? physical - estimate.path("embeddedIndexBytes").asLong() : physical;
  }

  private boolean inRedis() throws IOException {
    Configuration site = new Configuration(false);
    try (InputStream in = Files.newInputStream(conf.resolve("hdfs-site.xml"))) {
      site.addResource(in);
      return "redis".equals(site.get("hdrf.metadata.store"));
    }
  }
}
