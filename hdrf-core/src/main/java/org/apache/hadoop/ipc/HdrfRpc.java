/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.hadoop.ipc;

import io.hdrf.admin.CallFormat;
import java.io.Closeable;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * A protocol of HDRF's own on Hadoop's RPC, in {@link CallFormat}. Hadoop has two engines for that,
 * and neither will do: the one for protobuf differs between Hadoop 3.1 and 3.3, and the other, once
 * a server has it, makes objects of whichever class a request names, before anybody asks whether
 * the sender may call. Here a request is bytes until the call is authorized.
 *
 * <p>In this package because what an engine needs is package-private. It takes the kind of call
 * that Hadoop has for what is built in, which nothing of Hadoop uses.
 */
public final class HdrfRpc {

  private static final RPC.RpcKind KIND = RPC.RpcKind.RPC_BUILTIN;

  static {
    Server.registerProtocolEngine(KIND, Message.class, new Invoker());
  }

  private HdrfRpc() {}

  /**
   * Has a server serve a protocol too.
   *
   * @param protocol an interface with {@link ProtocolInfo}
   */
  public static <T> void addTo(RPC.Server server, Class<T> protocol, T service) {
    server.addProtocol(KIND, protocol, service);
  }

  /** A client's side of a protocol; for one thread at a time. */
  public static final class Connection<T> implements Closeable {
    private final Client client;
    private final T proxy;

    /**
     * Connects with the first call, as a user.
     *
     * @param timeoutMillis how long a call may take; 0 for any time
     */
    public Connection(
        Class<T> protocol,
        InetSocketAddress address,
        UserGroupInformation user,
        int timeoutMillis,
        Configuration conf)
        throws IOException {
      this.client = new Client(Message.class, conf, NetUtils.getDefaultSocketFactory(conf));
      Client.ConnectionId id =
          Client.ConnectionId.getConnectionId(address, protocol, user, timeoutMillis, null, conf);
      CallFormat format = new CallFormat(protocol);
      AtomicBoolean fallback = new AtomicBoolean();
      this.proxy =
          protocol.cast(
              Proxy.newProxyInstance(
                  protocol.getClassLoader(),
                  new Class<?>[] {protocol},
                  (self, method, arguments) -> {
                    if (method.getDeclaringClass() == Object.class) {
                      return method.invoke(this, arguments);
                    }
                    Message request = new Message(format.encodeCall(method, arguments));
                    Message result = (Message) client.call(KIND, request, id, fallback);
                    return format.decodeResult(method, result.bytes);
                  }));
    }

    /** Every call of it is one to the server. */
    public T proxy() {
      return proxy;
    }

    @Override
    public void close() {
      client.stop();
    }
  }

  /** A request or a result. Public because Hadoop's RPC makes it. */
  public static final class Message implements Writable {
    private static final int FIRST_PART = 1 << 13;

    private byte[] bytes;

    /** To be read. */
    public Message() {}

    Message(byte[] bytes) {
      this.bytes = bytes;
    }

    @Override
    public void write(DataOutput out) throws IOException {
      out.writeInt(bytes.length);
      out.write(bytes);
    }

    @Override
    public void readFields(DataInput in) throws IOException {
      int length = in.readInt();
      if (length < 0) {
        throw new IOException("a message of " + length + " bytes");
      }
      // Whatever length is claimed, no more is allocated than twice what is there.
      byte[] read = new byte[Math.min(length, FIRST_PART)];
      in.readFully(read);
      while (read.length < length) {
        int count = read.length;
        read = Arrays.copyOf(read, (int) Math.min(length, 2L * count));
        in.readFully(read, count, read.length - count);
      }
      bytes = read;
    }
  }

  private static final class Invoker implements RPC.RpcInvoker {
    @Override
    public Writable call(RPC.Server server, String protocol, Writable request, long receiveTime)
        throws Exception {
      // By the protocol that the connection was authorized for, not by one that a request names.
      RPC.Server.VerProtocolImpl found = server.getHighestSupportedProtocol(KIND, protocol);
      if (found == null) {
        throw new RpcNoSuchProtocolException("Unknown protocol: " + protocol);
      }
      CallFormat format = new CallFormat(found.protocolTarget.protocolClass);
      CallFormat.Call call = format.decodeCall(((Message) request).bytes);
      server.rpcDetailedMetrics.init(found.protocolTarget.protocolClass);
      Server.getCurCall().get().setDetailedMetricsName(call.method().getName());
      return new Message(
          format.encodeResult(call.method(), invoke(call, found.protocolTarget.protocolImpl)));
    }

    private static Object invoke(CallFormat.Call call, Object service) throws Exception {
      Method method = call.method();
      try {
        return method.invoke(service, call.arguments());
      } catch (InvocationTargetException e) {
        if (e.getCause() instanceof Exception) {
          throw (Exception) e.getCause();
        }
        throw e;
      }
    }
  }
}
