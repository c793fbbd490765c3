/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.channels.SocketChannel;
import javax.net.SocketFactory;

/**
 * Gives DataNodes that serve a connection sockets without channels, so that their output to other
 * DataNodes goes through a stream of the subclass; all others get ordinary sockets.
 */
abstract class WrappingSocketFactory extends SocketFactory {

  /**
   * Called once for each socket that is written to.
   *
   * @param out the socket's own stream
   * @return the one to write to
   */
  abstract OutputStream wrap(OutputStream out);

  @Override
  public final Socket createSocket() throws IOException {
    return Thread.currentThread().getName().startsWith("DataXceiver")
        ? new WrappedSocket()
        : SocketChannel.open().socket();
  }

  private final class WrappedSocket extends Socket {
    private OutputStream out;

    @Override
    public OutputStream getOutputStream() throws IOException {
      if (out == null) {
        out = wrap(super.getOutputStream());
      }
      return out;
    }
  }

  @Override
  public final Socket createSocket(String host, int port) {
    throw new UnsupportedOperationException();
  }

  @Override
  public final Socket createSocket(String host, int port, InetAddress local, int localPort) {
    throw new UnsupportedOperationException();
  }

  @Override
  public final Socket createSocket(InetAddress host, int port) {
    throw new UnsupportedOperationException();
  }

  @Override
  public final Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) {
    throw new UnsupportedOperationException();
  }
}
