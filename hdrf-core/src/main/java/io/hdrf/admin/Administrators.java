/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.admin;

import java.io.IOException;
import java.util.Arrays;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.ipc.Server;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.UserGroupInformation.AuthenticationMethod;
import org.apache.hadoop.security.authorize.AccessControlList;

/**
 * The users who may call {@link HdrfAdminProtocol}: the user that the server runs as, the members
 * of {@code dfs.permissions.superusergroup}, and those named in {@code dfs.cluster.administrators}.
 * Immutable.
 */
public final class Administrators {

  private static final String SUPER_GROUP = "dfs.permissions.superusergroup";
  private static final String SUPER_GROUP_DEFAULT = "supergroup";
  private static final String ADMINISTRATORS = "dfs.cluster.administrators";

  private final String ownUser;
  private final String superGroup;
  private final AccessControlList named;

  /** Reads the configuration; the server's user is the current one. */
  public Administrators(Configuration conf) throws IOException {
    this.ownUser = UserGroupInformation.getCurrentUser().getShortUserName();
    this.superGroup = conf.get(SUPER_GROUP, SUPER_GROUP_DEFAULT);
    this.named = new AccessControlList(conf.get(ADMINISTRATORS, " "));
  }

  /**
   * Refuses the current thread's call if its caller is not an administrator, or was authenticated
   * by a token: the tokens that a DataNode accepts are block tokens, which pass from hand to hand
   * and are good for one block.
   */
  public void requireCaller() throws AccessControlException {
    UserGroupInformation user = Server.getRemoteUser();
    if (user == null) {
      throw new AccessControlException("An unknown user" + isNone());
    }
    if (user.getRealAuthenticationMethod() == AuthenticationMethod.TOKEN) {
      throw new AccessControlException(
          user.getShortUserName() + " came with a token; administrators come with Kerberos");
    }
    if (!user.getShortUserName().equals(ownUser)
        && !Arrays.asList(user.getGroupNames()).contains(superGroup)
        && !named.isUserAllowed(user)) {
      throw new AccessControlException(user.getShortUserName() + isNone());
    }
  }

  private String isNone() {
    return " is no administrator: not "
        + ownUser
        + ", not in the group "
        + superGroup
        + ", not in "
        + ADMINISTRATORS;
  }
}
