/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.redis;

import static io.hdrf.store.redis.RedisStores.configuration;
import static io.hdrf.store.redis.RedisStores.get;
import static io.hdrf.store.redis.RedisStores.open;
import static io.hdrf.store.redis.RedisStores.put;
import static io.hdrf.store.redis.RedisStores.set;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.cluster.RedisServer;
import io.hdrf.spi.store.MetadataStore;
import io.hdrf.spi.store.StoreUnreachableException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TlsTest {

  private static final String ALIAS = "redis";
  private static final String KEY_STORE_PASSWORD = "changeit";

  @TempDir Path directory;

  private RedisServer server;
  private int port;

  @BeforeEach
  void start() throws Exception {
    makeCertificate("server", "ip:127.0.0.1");
    server = new RedisServer(directory.resolve("redis"));
    port = server.freePort("tls");
    server
        .with("tls-port", Integer.toString(port))
        .with("tls-cert-file", pem("server").toString())
        .with("tls-key-file", directory.resolve("server.key").toString())
        .with("tls-ca-cert-file", pem("server").toString())
        .with("tls-auth-clients", "no")
        .start();
  }

  @AfterEach
  void stop() throws IOException {
    server.kill();
  }

  private Path pem(String name) {
    return directory.resolve(name + ".pem");
  }

  private void makeCertificate(String name, String subjectAlternative)
      throws IOException, InterruptedException, GeneralSecurityException {
    Path store = directory.resolve(name + ".p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                ALIAS,
                "-keyalg",
                "RSA",
                "-dname",
                "CN=" + name,
                "-ext",
                "san=" + subjectAlternative,
                "-storetype",
                "PKCS12",
                "-keystore",
                store.toString(),
                "-storepass",
                KEY_STORE_PASSWORD)
            .inheritIO()
            .start();
    assertThat(keytool.waitFor()).isZero();
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, KEY_STORE_PASSWORD.toCharArray());
    }
    writePem(pem(name), "CERTIFICATE", keys.getCertificate(ALIAS).getEncoded());
    writePem(
        directory.resolve(name + ".key"),
        "PRIVATE KEY",
        keys.getKey(ALIAS, KEY_STORE_PASSWORD.toCharArray()).getEncoded());
  }

  private static void writePem(Path file, String what, byte[] content) throws IOException {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
    Files.write(
        file,
        ("-----BEGIN " + what + "-----\n" + text + "\n-----END " + what + "-----\n")
            .getBytes(StandardCharsets.US_ASCII));
  }

  private Configuration tls(Path trusted) {
    return set(
        configuration("address", "127.0.0.1:" + port),
        "tls",
        "true",
        "tls.ca.file",
        trusted.toString(),
        // The first handshake of a JVM loads its classes.
        "timeout",
        "5000");
  }

  @Test
  void isUsedWhereItIsAskedFor() throws IOException {
    try (MetadataStore store = open(tls(pem("server")))) {
      put(store, "k", "v");
      assertThat(get(store, "k")).isEqualTo("v");
    }
  }

  @Test
  void aFrozenServerIsNotWaitedForWithoutEnd() throws Exception {
    try (MetadataStore store = open(tls(pem("server")))) {
      server.suspend();
      assertThatThrownBy(() -> get(store, "k"))
          .isInstanceOf(StoreUnreachableException.class)
          .hasMessageContaining("did not answer within 5000 ms");
      server.resume();
      assertThat(RedisStores.eventually(() -> get(store, "k"))).isNull();
    }
  }

  /** TLS passes nothing of a record on before the whole record has come. */
  @Test
  @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void anAnswerThatComesByteByByteEndsInTime() throws Exception {
    AtomicBoolean slow = new AtomicBoolean();
    try (ServerSocket proxy = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
      forward(proxy, slow);
      Configuration through =
          set(tls(pem("server")), "address", "127.0.0.1:" + proxy.getLocalPort());
      try (MetadataStore store = open(through)) {
        put(store, "k", "v".repeat(4000));
        slow.set(true);
        assertThatThrownBy(() -> get(store, "k"))
            .isInstanceOf(StoreUnreachableException.class)
            .hasMessageContaining("did not answer within 5000 ms");
      }
    }
  }

  /**
   * Forwards one connection to the server; the server's bytes go one by one while {@code slow} is
   * set.
   */
  private void forward(ServerSocket proxy, AtomicBoolean slow) {
    start(
        () -> {
          try (Socket client = proxy.accept();
              Socket redis = new Socket(InetAddress.getLoopbackAddress(), port)) {
            start(() -> client.getInputStream().transferTo(redis.getOutputStream()));
            InputStream in = redis.getInputStream();
            for (int next = in.read(); next >= 0; next = in.read()) {
              if (slow.get()) {
                Thread.sleep(50);
              }
              client.getOutputStream().write(next);
            }
          }
          return null;
        });
  }

  private static void start(Callable<?> work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.call();
              } catch (Exception e) {
                // One side has hung up.
              }
            });
    thread.setDaemon(true);
    thread.start();
  }

  @Test
  void aServerThatIsNotTrustedIsRefused() throws Exception {
    makeCertificate("other", "ip:127.0.0.1");
    assertThatThrownBy(() -> open(tls(pem("other"))))
        .isInstanceOf(StoreUnreachableException.class)
        .hasMessageContaining("127.0.0.1:" + port)
        .hasMessageContaining("certification path");
    assertThatThrownBy(
            () -> open(set(configuration("address", "127.0.0.1:" + port), "tls", "true")))
        .isInstanceOf(StoreUnreachableException.class)
        .hasMessageContaining("certification path");
  }

  @Test
  void aCertificateForAnotherHostIsRefused() throws Exception {
    server.kill();
    Files.delete(directory.resolve("server.p12"));
    makeCertificate("server", "dns:another.example");
    server.start();
    assertThatThrownBy(() -> open(tls(pem("server"))))
        .isInstanceOf(StoreUnreachableException.class)
        .hasMessageContaining("127.0.0.1");
  }

  @Test
  void plainTextIsNotTaken() {
    assertThatThrownBy(() -> open(configuration("address", "127.0.0.1:" + port)))
        .isInstanceOf(StoreUnreachableException.class)
        .hasMessageContaining("127.0.0.1:" + port);
  }
}
