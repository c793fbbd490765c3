/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.admin;

import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.concurrent.Semaphore;
import java.util.stream.Collectors;
import org.apache.hadoop.ipc.RetriableException;
import org.apache.hadoop.ipc.Server;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A gate before a service: refuses every call of callers who are not administrators, and writes
 * every call to the audit log, in the form of the NameNode's. The service itself checks and logs
 * nothing. Successful calls that only {@link HdrfAdminProtocol.Looks look} are logged at DEBUG,
 * since commands that wait poll often; all others, and every call that is refused or fails, at
 * INFO.
 *
 * <p>Calls run on the handlers of a server that serves HDFS too. So calls that may wait for a disk
 * or a store, which may hang, get only a share of the handlers; one call too many is refused at
 * once, and may be repeated. Calls that {@link HdrfAdminProtocol.NeverWaits never wait} are always
 * answered. Thread-safe.
 */
final class AdminGate implements InvocationHandler {

  /** The name of the logger. */
  static final String AUDIT = "io.hdrf.audit";

  private static final Logger LOG = LoggerFactory.getLogger(AUDIT);

  /**
   * The longest logged argument or name: callers choose their arguments and, without Kerberos,
   * their names.
   */
  private static final int MAX_LENGTH = 256;

  private final Administrators administrators;
  private final Object service;
  private final int maxWaiting;
  private final Semaphore mayWait;

  private AdminGate(Administrators administrators, Object service, int maxWaiting) {
    this.administrators = administrators;
    this.service = service;
    this.maxWaiting = maxWaiting;
    this.mayWait = new Semaphore(maxWaiting);
  }

  /**
   * Returns the service behind a gate.
   *
   * @param maxWaiting the most calls that may wait and run at the same time, at least 1
   */
  static HdrfAdminProtocol before(
      HdrfAdminProtocol service, Administrators administrators, int maxWaiting) {
    return (HdrfAdminProtocol)
        Proxy.newProxyInstance(
            HdrfAdminProtocol.class.getClassLoader(),
            new Class<?>[] {HdrfAdminProtocol.class},
            new AdminGate(administrators, service, maxWaiting));
  }

  @Override
  public Object invoke(Object self, Method method, Object[] arguments) throws Throwable {
    if (method.getDeclaringClass() == Object.class) {
      return method.invoke(service, arguments);
    }
    boolean allowed = false;
    try {
      administrators.requireCaller();
      allowed = true;
      Object result =
          method.isAnnotationPresent(HdrfAdminProtocol.NeverWaits.class)
              ? method.invoke(service, arguments)
              : invokeOneOfFew(method, arguments);
      if (!method.isAnnotationPresent(HdrfAdminProtocol.Looks.class)) {
        LOG.info("{}", line(true, method, arguments, "ok"));
      } else if (LOG.isDebugEnabled()) {
        LOG.debug("{}", line(true, method, arguments, "ok"));
      }
      return result;
    } catch (Throwable e) {
      Throwable cause = e instanceof InvocationTargetException ? e.getCause() : e;
      LOG.info("{}", line(allowed, method, arguments, String.valueOf(cause)));
      throw cause;
    }
  }

  private Object invokeOneOfFew(Method method, Object[] arguments)
      throws IOException, ReflectiveOperationException {
    if (!mayWait.tryAcquire()) {
      throw new RetriableException(
          maxWaiting
              + " calls of administrators wait already for disks or metadata stores of this"
              + " DataNode, and others are not let wait with them: try again later. If this"
              + " lasts, a disk or a store hangs");
    }
    try {
      return method.invoke(service, arguments);
    } finally {
      mayWait.release();
    }
  }

  private static String line(boolean allowed, Method method, Object[] arguments, String result) {
    InetAddress address = Server.getRemoteIp();
    String target =
        arguments == null
            ? "null"
            : Arrays.stream(arguments).map(AdminGate::text).collect(Collectors.joining(","));
    return "allowed="
        + allowed
        + "\tugi="
        + clean(String.valueOf(Server.getRemoteUser()))
        + "\tip="
        + address
        + "\tcmd="
        + method.getName()
        + "\ttarget="
        + clean(target)
        + "\tresult="
        + clean(result);
  }

  private static String text(Object argument) {
    return argument instanceof byte[]
        ? ((byte[]) argument).length + " bytes"
        : String.valueOf(argument);
  }

  /** Replaces characters with which a caller could fake another field or line. */
  private static String clean(String text) {
    String part = text.length() > MAX_LENGTH ? text.substring(0, MAX_LENGTH) + "..." : text;
    return part.replaceAll("[\\p{Cntrl}\\u0085\\u2028\\u2029]", " ");
  }
}
