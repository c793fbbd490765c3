/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.volume;

import io.hdrf.conf.HdrfConf;
import io.hdrf.conf.HdrfKeys;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.spi.BadSettingException;
import io.hdrf.spi.scheme.SchemeNotFoundException;
import java.io.IOException;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.fs.StorageType;

/** The chain that new blocks are stored with, for each storage type, as configured. */
public final class Chains {

  /** A type of later lines of Hadoop. One configuration may serve DataNodes of several. */
  private static final String LATER = "NVDIMM";

  private Chains() {}

  /**
   * Reads and checks the chains.
   *
   * @throws IOException names the key that is wrong, and where a scheme is missing how many blocks
   *     of the DataNode need it
   */
  public static Map<StorageType, SchemeChain> configured(HdrfConf conf, SchemeRegistry registry)
      throws IOException {
    refuseUnknownTypes(conf);
    Map<StorageType, SchemeChain> chains = new EnumMap<>(StorageType.class);
    for (StorageType type : StorageType.values()) {
      String key = conf.chainKey(type.name());
      try {
        chains.put(type, SchemeChain.parse(key, conf.chain(type.name()), registry));
      } catch (SchemeNotFoundException e) {
        String needed = MissingSchemes.describe(conf.configuration(), registry);
        if (conf.pluginsDirectory() == null) {
          throw new BadSettingException(
              HdrfKeys.PLUGINS_DIR,
              "",
              "the directory with the schemes' jars, since " + key + " names schemes" + needed);
        }
        throw new SchemeNotFoundException(e.getMessage() + needed);
      }
    }
    return chains;
  }

  /** Returns whether any storage type has a chain. */
  public static boolean anyConfigured(Map<StorageType, SchemeChain> chains) {
    return chains.values().stream().anyMatch(chain -> !chain.isEmpty());
  }

  /** The chains for people: one where they are all the same. */
  public static String describe(Map<StorageType, SchemeChain> chains) {
    return lasting().map(chains::get).distinct().count() == 1
        ? chains.get(StorageType.DISK).toString()
        : lasting().map(type -> chains.get(type) + " on " + type).collect(Collectors.joining("; "));
  }

  private static Stream<StorageType> lasting() {
    return Arrays.stream(StorageType.values()).filter(type -> isLasting(type.name()));
  }

  private static void refuseUnknownTypes(HdrfConf conf) throws BadSettingException {
    String prefix = HdrfKeys.SCHEMES + ".";
    for (Map.Entry<String, String> entry : conf.configuration()) {
      if (entry.getKey().startsWith(prefix)) {
        String type = entry.getKey().substring(prefix.length());
        if (!isLasting(type)
            && !type.equals(LATER)
            && !(isType(type) && isNone(entry.getValue()))) {
          throw new BadSettingException(
              entry.getKey(),
              entry.getValue(),
              isType(type)
                  ? "none, since blocks on storage of that type are never reduced; there are chains"
                      + " for DISK, SSD and ARCHIVE"
                  : "given for one of the storage types DISK, SSD and ARCHIVE");
        }
      }
    }
  }

  private static boolean isNone(String chain) {
    return chain.trim().isEmpty() || chain.trim().equals(SchemeChain.NONE);
  }

  private static boolean isType(String name) {
    return Arrays.stream(StorageType.values()).anyMatch(type -> type.name().equals(name));
  }

  private static boolean isLasting(String name) {
    if (!isType(name)) {
      return false;
    }
    StorageType type = StorageType.valueOf(name);
    return !type.isTransient() && type != StorageType.PROVIDED;
  }
}
