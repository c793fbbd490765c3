/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.store.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.hdrf.spi.BadSettingException;
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
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Protocol;

/** Makes connections as the settings say. Safe for use by many threads. */
final class Connector {

  /**
   * Twice the maximum number of bytes sent before answers are awaited, so that a write seldom waits
   * for a slow server. The system may allow less.
   */
  private static final int SEND_BUFFER = 2 * Pipeline.MAX_BYTES;

  /**
   * The maximum number of TLS sessions kept for resumption; the server determines their lengths.
   */
  private static final int MAX_SESSIONS = 64;

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
      context.getClientSessionContext().setSessionCacheSize(MAX_SESSIONS);
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
  RedisConnection connect(HostAndPort address) {
    RedisConnection connection = connectToSentinel(address);
    try {
      logIn(connection);
      return connection;
    } catch (RuntimeException e) {
      connection.close();
      throw e;
    }
  }

  private void logIn(RedisConnection connection) {
    if (settings.password() != null) {
      byte[] password = new String(settings.password()).getBytes(UTF_8);
      if (settings.user() == null) {
        connection.sendCommand(Protocol.Command.AUTH, password);
      } else {
        connection.sendCommand(Protocol.Command.AUTH, settings.user().getBytes(UTF_8), password);
      }
      connection.read(connection::getOne);
    }
    if (settings.database() != 0) {
      connection.read(() -> connection.select(settings.database()));
    }
  }

  /** Connects to a Sentinel, without a log-in. */
  RedisConnection connectToSentinel(HostAndPort address) {
    return RedisConnection.to(plain -> connected(plain, address), settings.timeoutMillis());
  }

  private Socket connected(Socket plain, HostAndPort address) throws IOException {
    plain.setSendBufferSize(SEND_BUFFER);
    plain.setTcpNoDelay(true);
    plain.setKeepAlive(true);
    plain.connect(
        new InetSocketAddress(address.getHost(), address.getPort()), settings.timeoutMillis());
    return sslSockets == null ? plain : secured(plain, address);
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
