/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.security;

import io.hdrf.datanode.HdrfCluster;
import java.io.File;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Properties;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.minikdc.MiniKdc;
import org.apache.hadoop.security.SecurityUtil;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.UserGroupInformation.AuthenticationMethod;
import org.apache.kerby.kerberos.kerb.client.KrbClient;

/** A Kerberos realm: a KDC on loopback, which this JVM uses from now on. */
public final class Realm implements AutoCloseable {

  /** The value of {@code _HOST} in a daemon's principal. */
  public static final String HOST = host();

  /** The daemons' principal; its keytab holds that of the web servers, too. */
  private static final String DAEMON = "hdfs/" + HOST;

  private static final String WEB = "HTTP/localhost";

  private final Path directory;
  private final MiniKdc kdc;
  private final Path daemonKeytab;

  private Realm(Path directory, MiniKdc kdc) throws Exception {
    this.directory = directory;
    this.kdc = kdc;
    this.daemonKeytab = directory.resolve("hdfs.keytab");
    kdc.createPrincipal(daemonKeytab.toFile(), DAEMON, WEB);
  }

  private static String host() {
    try {
      return InetAddress.getByName("localhost").getCanonicalHostName().toLowerCase(Locale.ROOT);
    } catch (UnknownHostException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Starts it with its own directory below {@code target}. */
  public static Realm start() throws Exception {
    Path parent = Path.of(System.getProperty("test.build.data"));
    Path directory = Files.createTempDirectory(Files.createDirectories(parent), "realm");
    Properties properties = MiniKdc.createConf();
    properties.setProperty(MiniKdc.KDC_PORT, Integer.toString(HdrfCluster.freePort()));
    MiniKdc kdc = new MiniKdc(properties, directory.toFile());
    kdc.start();
    return new Realm(directory, kdc);
  }

  public Path directory() {
    return directory;
  }

  /** Returns the daemons' principal. */
  public String daemon() {
    return principal(DAEMON);
  }

  public Path daemonKeytab() {
    return daemonKeytab;
  }

  public String web() {
    return principal(WEB);
  }

  /** Returns a name with this realm. */
  public String principal(String name) {
    return name + "@" + kdc.getRealm();
  }

  /** Creates a user and returns the keytab. */
  public Path addUser(String name) throws Exception {
    Path keytab = directory.resolve(name + ".keytab");
    kdc.createPrincipal(keytab.toFile(), name);
    return keytab;
  }

  /** Returns the login of a user in this JVM. */
  public UserGroupInformation login(String name, Path keytab) throws Exception {
    return UserGroupInformation.loginUserFromKeytabAndReturnUGI(principal(name), keytab.toString());
  }

  /** Makes a ticket cache like kinit's. */
  public Path ticketCache(String name, Path keytab) throws Exception {
    KrbClient client = new KrbClient(krb5Conf().getParent().toFile());
    client.init();
    File cache = directory.resolve(name + ".ticket-cache").toFile();
    client.storeTicket(client.requestTgt(principal(name), keytab.toFile()), cache);
    return cache.toPath();
  }

  /** Returns the place of this realm's KDC, in the form that Kerberos reads. */
  public Path krb5Conf() {
    return kdc.getKrb5conf().toPath();
  }

  /** Makes RPC servers and clients authenticate by Kerberos. */
  public void secure(Configuration conf) {
    SecurityUtil.setAuthenticationMethod(AuthenticationMethod.KERBEROS, conf);
    conf.set("dfs.datanode.kerberos.principal", daemon());
  }

  @Override
  public void close() {
    kdc.stop();
  }
}
