/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.redis;

import io.hdrf.scheme.BadSettingException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Collection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;
import redis.clients.jedis.ClientSetInfoConfig;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.exceptions.JedisConnectionException;

/** Makes connections as the settings say. Safe for use by many threads. */
final class Connector {

  /**
   * Twice what is ever sent before answers are awaited, so that a write never waits for a server
   * that has stopped reading: a socket's time-out counts for reads alone.
   */
  private static final int SEND_BUFFER = 2 * Pipeline.MAX_BYTES;

  private final RedisSettings settings;
  private final SSLSocketFactory sslSockets;

  /**
   * @throws BadSettingException if the certificates can't be read
   */
  Connector(RedisSettings settings) throws IOException {
    this.settings = settings;
    this.sslSockets = settings.tls() ? sslSockets(settings) : null;
  }

  private static SSLSocketFactory sslSockets(RedisSettings settings) throws BadSettingException {
    String file = settings.caFile();
    if (file.isEmpty()) {
      return (SSLSocketFactory) SSLSocketFactory.getDefault();
    }
    try (InputStream in = Files.newInputStream(Paths.get(file))) {
      Collection<? extends Certificate> certificates =
          CertificateFactory.getInstance("X.509").generateCertificates(in);
      if (certificates.isEmpty()) {
        throw new IOException("it has none");
      }
      KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
      trusted.load(null, null);
      int number = 0;
      for (Certificate certificate : certificates) {
        trusted.setCertificateEntry("ca-" + number++, certificate);
      }
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(trusted);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, trust.getTrustManagers(), null);
      return context.getSocketFactory();
    } catch (GeneralSecurityException | IOException e) {
      BadSettingException bad =
          new BadSettingException(
              settings.key(RedisSettings.TLS_CA_FILE),
              file,
              "a file with certificates (PEM) that the DataNode can read: " + e);
      bad.initCause(e);
      throw bad;
    }
  }

  /** Connects to a server of the data, and logs in. */
  Connection connect(HostAndPort address) {
    DefaultJedisClientConfig.Builder config = config().database(settings.database());
    if (settings.password() != null) {
      config.user(settings.user()).password(new String(settings.password()));
    }
    return new Connection(() -> socket(address), config.build());
  }

  /** Connects to a Sentinel, without a log-in. */
  Connection connectToSentinel(HostAndPort address) {
    return new Connection(() -> socket(address), config().build());
  }

  private DefaultJedisClientConfig.Builder config() {
    return DefaultJedisClientConfig.builder()
        .socketTimeoutMillis(settings.timeoutMillis())
        .clientSetInfoConfig(ClientSetInfoConfig.DISABLED);
  }

  private Socket socket(HostAndPort address) {
    Socket socket = new Socket();
    try {
      socket.setSendBufferSize(SEND_BUFFER);
      socket.setTcpNoDelay(true);
      socket.setKeepAlive(true);
      socket.setSoTimeout(settings.timeoutMillis());
      socket.connect(
          new InetSocketAddress(address.getHost(), address.getPort()), settings.timeoutMillis());
      return sslSockets == null ? socket : secured(socket, address);
    } catch (IOException e) {
      try {
        socket.close();
      } catch (IOException suppressed) {
        e.addSuppressed(suppressed);
      }
      throw new JedisConnectionException(e);
    }
  }

  private Socket secured(Socket plain, HostAndPort address) throws IOException {
    SSLSocket socket =
        (SSLSocket) sslSockets.createSocket(plain, address.getHost(), address.getPort(), true);
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    socket.setSSLParameters(parameters);
    socket.startHandshake();
    return socket;
  }
}
