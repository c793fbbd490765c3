/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.volume;

import io.hdrf.conf.HdrfConf;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.spi.io.DurableFiles;
import io.hdrf.spi.memory.MemoryBudget;
import io.hdrf.spi.scheme.BlockCodec;
import io.hdrf.spi.scheme.BlockScheme;
import io.hdrf.spi.scheme.ReductionScheme;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.StorageType;

/** Slices of block pools on {@link DirectoryVolume}s, reduced by one scheme. */
public final class DirectoryPools {

  private DirectoryPools() {}

  public static PoolSlices slices(ReductionScheme scheme, DurableFiles files) throws IOException {
    SchemeRegistry registry = SchemeRegistry.of(List.of(scheme));
    return new PoolSlices(
        new HdrfConf(new Configuration(false)),
        registry,
        Map.of(StorageType.DISK, SchemeChain.parse("chain", scheme.name(), registry)),
        files,
        MemoryBudget.unlimited(),
        (volume, pool, bytes) -> {},
        (volume, pool) -> (file, blockId, why) -> {});
  }

  /** A volume in {@code directory} with the pool BP-1. */
  public static DirectoryVolume volume(Path directory, String id) throws IOException {
    Path volume = directory.resolve(id);
    Files.createDirectories(volume.resolve("current/BP-1/current/finalized"));
    return new DirectoryVolume(id, volume);
  }

  /** A scheme whose codecs are put in the place of another one's when these are opened. */
  static BlockScheme withCodecs(BlockScheme scheme, UnaryOperator<BlockCodec> codecs) {
    return proxy(
        BlockScheme.class,
        (self, method, arguments) -> {
          if (method.getName().equals("hashCode")) {
            return 1;
          }
          Object result = method.invoke(scheme, arguments);
          return method.getName().equals("open") ? codecs.apply((BlockCodec) result) : result;
        });
  }

  static <T> T proxy(Class<T> type, InvocationHandler handler) {
    ClassLoader loader = DirectoryPools.class.getClassLoader();
    return type.cast(Proxy.newProxyInstance(loader, new Class<?>[] {type}, handler));
  }
}
