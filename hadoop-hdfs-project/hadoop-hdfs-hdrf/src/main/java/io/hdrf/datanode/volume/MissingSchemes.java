/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.volume;

import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.volume.Superblock;
import java.io.File;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.StorageLocation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The schemes that blocks of a DataNode need and that are not installed. Used where the DataNode
 * does not start, so that no volume is opened. Changes nothing.
 */
final class MissingSchemes {

  private static final Logger LOG = LoggerFactory.getLogger(MissingSchemes.class);

  private final Map<String, Long> blocks = new TreeMap<>();

  private MissingSchemes() {}

  /**
   * Looks at all volumes of {@code dfs.datanode.data.dir}. Files that can't be read are logged and
   * left out.
   *
   * @return to follow the message that a scheme is missing; empty if no block needs one
   */
  static String describe(Configuration conf, SchemeRegistry registry) {
    MissingSchemes missing = new MissingSchemes();
    for (StorageLocation location : DataNode.getStorageLocations(conf)) {
      if (location.getUri() != null && "file".equals(location.getUri().getScheme())) {
        missing.look(new File(location.getUri()).toPath(), registry);
      }
    }
    StringBuilder text = new StringBuilder();
    missing.blocks.forEach(
        (scheme, count) ->
            text.append(text.length() == 0 ? "; this DataNode has " : " and ")
                .append(FinalizedSurvey.words(count))
                .append(" blocks that need the scheme ")
                .append(scheme));
    return text.toString();
  }

  private void look(Path volume, SchemeRegistry registry) {
    Path current = volume.resolve("current");
    if (!Files.isDirectory(current)) {
      return;
    }
    try (DirectoryStream<Path> pools = Files.newDirectoryStream(current, "BP-*")) {
      for (Path pool : pools) {
        Map<Integer, String> recorded = Superblock.readSchemes(pool.resolve(PoolSlice.DIRECTORY));
        FinalizedSurvey survey =
            new FinalizedSurvey(pool, String.valueOf(pool.getFileName()), registry);
        for (Map.Entry<Integer, String> scheme : recorded.entrySet()) {
          long count =
              registry.names().contains(scheme.getValue())
                  ? 0
                  : survey.countBlocksWith(scheme.getKey());
          if (count > 0) {
            String name = "\"" + scheme.getValue() + "\" (id " + scheme.getKey() + ")";
            blocks.merge(name, count, Long::sum);
          }
        }
      }
    } catch (IOException e) {
      LOG.warn("How many blocks of {} need schemes that are not installed is not known", volume, e);
    }
  }
}
