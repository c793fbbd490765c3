/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import io.hdrf.conf.HdrfConf;
import io.hdrf.conf.HdrfKeys;
import io.hdrf.scheme.BadSettingException;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.scheme.SchemeNotFoundException;
import io.hdrf.scheme.SchemeRegistry;
import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;
import org.apache.hadoop.fs.StorageType;

/** The chain that new blocks are stored with, for each storage type, as configured. */
final class Chains {

  private Chains() {}

  /**
   * Reads and checks the chains.
   *
   * @throws IOException names the key that is wrong
   */
  static Map<StorageType, SchemeChain> configured(HdrfConf conf, SchemeRegistry registry)
      throws IOException {
    refuseUnknownTypes(conf);
    Map<StorageType, SchemeChain> chains = new EnumMap<>(StorageType.class);
    for (StorageType type : StorageType.values()) {
      String key = conf.chainKey(type.name());
      try {
        chains.put(type, SchemeChain.parse(key, conf.chain(type.name()), registry));
      } catch (SchemeNotFoundException e) {
        if (conf.pluginsDirectory() == null) {
          throw new BadSettingException(
              HdrfKeys.PLUGINS_DIR,
              "",
              "the directory with the schemes' jars, since " + key + " names schemes");
        }
        throw e;
      }
    }
    return chains;
  }

  /** Whether any storage type has a chain. */
  static boolean anyConfigured(Map<StorageType, SchemeChain> chains) {
    return chains.values().stream().anyMatch(chain -> !chain.isEmpty());
  }

  private static void refuseUnknownTypes(HdrfConf conf) throws BadSettingException {
    String prefix = HdrfKeys.SCHEMES + ".";
    for (Map.Entry<String, String> entry : conf.configuration()) {
      if (entry.getKey().startsWith(prefix)) {
        String type = entry.getKey().substring(prefix.length());
        if (!isLasting(type)) {
          throw new BadSettingException(
              entry.getKey(),
              entry.getValue(),
              "given for one of the storage types DISK, SSD and ARCHIVE");
        }
      }
    }
  }

  private static boolean isLasting(String name) {
    try {
      StorageType type = StorageType.valueOf(name);
      return !type.isTransient() && type != StorageType.PROVIDED;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }
}
