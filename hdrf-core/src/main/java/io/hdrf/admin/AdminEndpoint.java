/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.admin;

import java.io.IOException;
import java.util.Arrays;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeys;
import org.apache.hadoop.ipc.HdrfRpc;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.security.authorize.PolicyProvider;
import org.apache.hadoop.security.authorize.Service;

/** Puts {@link HdrfAdminProtocol} on an RPC server that serves other protocols too. */
public final class AdminEndpoint {

  private static final String HANDLERS = "dfs.datanode.handler.count";
  private static final int DEFAULT_HANDLERS = 10;

  private AdminEndpoint() {}

  /**
   * Adds the protocol. It opens no other port, and the server authenticates callers. Under {@code
   * hadoop.security.authorization} the server's policy is replaced by one that knows the protocol.
   * Calls of others than {@link Administrators} never reach the service, and the audit log records
   * all calls. Calls that may wait for a disk or a store take at most half of the server's
   * handlers.
   *
   * @param conf says who the administrators are, and how many handlers the server has
   * @param others the policy of the server's other protocols
   */
  public static void addTo(
      RPC.Server server, HdrfAdminProtocol service, Configuration conf, PolicyProvider others)
      throws IOException {
    int maxWaiting = Math.max(1, conf.getInt(HANDLERS, DEFAULT_HANDLERS) / 2);
    HdrfRpc.addTo(
        server,
        HdrfAdminProtocol.class,
        AdminGate.before(service, new Administrators(conf), maxWaiting));
    if (conf.getBoolean(CommonConfigurationKeys.HADOOP_SECURITY_AUTHORIZATION, false)) {
      server.refreshServiceAcl(conf, new WithAdminProtocol(others));
    }
  }

  private static final class WithAdminProtocol extends PolicyProvider {
    private final PolicyProvider others;

    WithAdminProtocol(PolicyProvider others) {
      this.others = others;
    }

    @Override
    public Service[] getServices() {
      Service[] stock = others.getServices();
      Service[] all = Arrays.copyOf(stock, stock.length + 1);
      all[stock.length] = new Service(HdrfAdminProtocol.POLICY_KEY, HdrfAdminProtocol.class);
      return all;
    }
  }
}
