/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where the DataNode can't hand a channel to the socket (encryption, verified reads) it sends
 * packets of {@code io.file.buffer.size}, 4 KiB by default, which costs several times the CPU of
 * 128 KiB. The value is read once, from the default resources, when the class that sends is
 * initialised; so it is raised before that, and only where the operator has not set it.
 */
public final class PacketSize {

  private static final Logger LOG = LoggerFactory.getLogger(PacketSize.class);

  private static final String KEY = CommonConfigurationKeysPublic.IO_FILE_BUFFER_SIZE_KEY;
  private static final String SHIPPED_DEFAULTS = "core-default.xml";
  private static final String RAISED = "hdrf-datanode-packets.xml";

  private PacketSize() {}

  /** Raises the default for this JVM unless {@code conf} has a value of the operator's. */
  public static void raiseUnlessConfigured(Configuration conf) {
    String[] sources = conf.getPropertySources(KEY);
    if (sources != null && sources.length == 1 && sources[0].equals(SHIPPED_DEFAULTS)) {
      Configuration.addDefaultResource(RAISED);
      LOG.info("Raised {} to {} for this DataNode; set it to choose another", KEY, conf.get(KEY));
    }
  }
}
