/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.volume;

import io.hdrf.admin.Pace;
import io.hdrf.admin.StoreBytes;
import io.hdrf.admin.VolumeInfo;
import io.hdrf.spi.TaskProgress;
import io.hdrf.spi.scheme.BlockCodec;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The stores that block schemes keep on the volumes, as operators see them. Thread-safe. */
public final class SchemeStores {

  private static final Logger LOG = LoggerFactory.getLogger(SchemeStores.class);

  private final PoolSlices slices;
  private final Map<String, String> progress = new ConcurrentHashMap<>();

  public SchemeStores(PoolSlices slices) {
    this.slices = slices;
  }

  /** Their figures, summed over all volumes, by scheme. */
  public Map<String, Map<String, Long>> metrics() {
    Map<String, Map<String, Long>> sums = new TreeMap<>();
    slices.forEach(slice -> add(slice, sums));
    return sums;
  }

  /** The same of each pool on each volume, by {@link StoreBytes#key}. */
  public Map<String, Map<String, Map<String, Long>>> metricsByVolume() {
    Map<String, Map<String, Map<String, Long>>> all = new TreeMap<>();
    slices.forEach(
        slice ->
            add(
                slice,
                all.computeIfAbsent(
                    StoreBytes.key(slice.storageId(), slice.poolId()), key -> new TreeMap<>())));
    return all;
  }

  private static void add(PoolSlice slice, Map<String, Map<String, Long>> sums) {
    slice
        .schemes()
        .blockCodecs()
        .forEach(
            (scheme, codec) -> {
              Map<String, Long> sum = sums.computeIfAbsent(scheme, name -> new LinkedHashMap<>());
              codec
                  .metrics()
                  .forEach(
                      (name, value) ->
                          sum.merge(name, value, name.endsWith("At") ? Math::min : Long::sum));
            });
  }

  /** The volumes and pools that have such a store. */
  public List<VolumeInfo> list() {
    List<VolumeInfo> found = new ArrayList<>();
    slices.forEach(
        slice -> {
          Map<String, BlockCodec> codecs = slice.schemes().blockCodecs();
          if (!codecs.isEmpty()) {
            found.add(
                new VolumeInfo(
                    slice.storageId(),
                    slice.poolId(),
                    slice.directory().toString(),
                    String.join(",", codecs.keySet()),
                    Pace.words(TaskProgress.decode(progress(slice.storageId(), slice.poolId()))),
                    0));
          }
        });
    return found;
  }

  /** The present step of a collection, as its scheme tells it; empty if there is none. */
  public String progress(String storageId, String poolId) {
    return progress.getOrDefault(key(storageId, poolId), "");
  }

  private static String key(String storageId, String poolId) {
    return storageId + "/" + poolId;
  }

  /**
   * Collects data that no block refers to; ends when that is done.
   *
   * @return figures, a line of name, tab and number each
   */
  public List<String> reclaim(String storageId, String poolId) throws IOException {
    PoolSlice slice = slices.use(storageId, poolId);
    String key = key(storageId, poolId);
    List<String> lines = new ArrayList<>();
    try {
      for (Map.Entry<String, BlockCodec> codec : slice.schemes().blockCodecs().entrySet()) {
        Map<String, Long> done = codec.getValue().reclaim(line -> progress.put(key, line));
        LOG.info("{}: {} collected {}", slice.directory(), codec.getKey(), done);
        done.forEach((name, value) -> lines.add(name + "\t" + value));
      }
      return lines;
    } finally {
      progress.remove(key);
      slice.endUse();
    }
  }

  /**
   * Compares the references of blocks with the content of the stores; ends when that is done.
   *
   * @return lines of name, tab and number, and lines for people without a tab
   */
  public List<String> check(String storageId, String poolId) throws IOException {
    PoolSlice slice = slices.use(storageId, poolId);
    List<String> lines = new ArrayList<>();
    try {
      for (BlockCodec codec : slice.schemes().blockCodecs().values()) {
        codec
            .check(problem -> lines.add(problem.replace('\t', ' ')))
            .forEach((name, value) -> lines.add(name + "\t" + value));
      }
      return lines;
    } finally {
      slice.endUse();
    }
  }
}
