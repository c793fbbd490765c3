/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * Logs in to Hadoop with the command's configuration: Hadoop looks for {@code core-site.xml} on the
 * class path, where this command has none.
 */
final class Login {
  private Login() {}

  /**
   * Logs in the user of this process as a configuration says, if that is needed: with {@code
   * kerberos} by the ticket cache, or by the keytab of {@code KRB5KEYTAB} for {@code
   * KRB5PRINCIPAL}.
   *
   * @throws IOException if the configuration asks for Kerberos and this host has no realm
   */
  static void use(Configuration conf) throws IOException {
    try {
      UserGroupInformation.setConfiguration(conf);
    } catch (IllegalArgumentException e) {
      throw new IOException(
          "hadoop.security.authentication of core-site.xml can't be used here: "
              + e.getMessage()
              + (e.getCause() == null ? "" : " (" + reason(e.getCause()) + ")"),
          e);
    }
  }

  private static Throwable reason(Throwable e) {
    return e.getCause() == null ? e : reason(e.getCause());
  }
}
