/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.ipc.HdrfRpc;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.ipc.RetriableException;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.authorize.PolicyProvider;
import org.apache.hadoop.security.authorize.Service;
import org.apache.log4j.AppenderSkeleton;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.apache.log4j.spi.LoggingEvent;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls over Hadoop's RPC, by administrators and others. */
@Timeout(60)
class AdminGateTest {

  /** Calls that touch only memory. Before you add one, check all that it does. */
  private static final List<String> NEVER_WAIT = Arrays.asList("volumes", "startTask", "task");

  private final Configuration conf = new Configuration();
  private final List<String> reached = Collections.synchronizedList(new ArrayList<>());
  private final AuditLog log = new AuditLog();
  private static final int HANDLERS = 4;

  private volatile String failure;
  private volatile CountDownLatch hung;
  private RPC.Server server;

  /** Something that the server serves beside. */
  interface Other {}

  private static final class AuditLog extends AppenderSkeleton {
    private final List<String> lines = Collections.synchronizedList(new ArrayList<>());

    @Override
    protected void append(LoggingEvent event) {
      lines.add(event.getLevel() + "\t" + event.getRenderedMessage());
    }

    @Override
    public boolean requiresLayout() {
      return false;
    }

    @Override
    public void close() {}

    String last() {
      return lines.get(lines.size() - 1);
    }
  }

  private static final class NoPolicy extends PolicyProvider {
    @Override
    public Service[] getServices() {
      return new Service[0];
    }
  }

  @BeforeEach
  void start() throws IOException {
    HdrfAdminProtocol service =
        (HdrfAdminProtocol)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {HdrfAdminProtocol.class},
                (self, method, arguments) -> {
                  reached.add(method.getName());
                  if (hung != null && !NEVER_WAIT.contains(method.getName())) {
                    hung.await();
                  }
                  if (failure != null) {
                    throw new IOException(failure);
                  }
                  return sample(method.getReturnType());
                });
    server =
        new RPC.Builder(conf)
            .setProtocol(Other.class)
            .setInstance(new Other() {})
            .setBindAddress("127.0.0.1")
            .setPort(0)
            .setNumHandlers(HANDLERS)
            .build();
    conf.setInt("dfs.datanode.handler.count", HANDLERS);
    AdminEndpoint.addTo(server, service, conf, new NoPolicy());
    server.start();
    Logger.getLogger(AdminGate.AUDIT).addAppender(log);
    Logger.getLogger(AdminGate.AUDIT).setLevel(Level.DEBUG);
  }

  @AfterEach
  void stop() {
    Logger.getLogger(AdminGate.AUDIT).removeAppender(log);
    server.stop();
  }

  private static Object sample(Class<?> type) {
    if (type == String.class) {
      return "DS-1";
    } else if (type == long.class) {
      return 7L;
    } else if (type == int.class) {
      return 3;
    } else if (type == double.class) {
      return 0.5;
    } else if (type == boolean.class) {
      return true;
    } else if (type == byte[].class) {
      return new byte[1];
    } else if (type == String[].class) {
      return new String[] {"one"};
    }
    return null;
  }

  private static Object[] samples(Method method) {
    return Arrays.stream(method.getParameterTypes()).map(AdminGateTest::sample).toArray();
  }

  private HdrfRpc.Connection<HdrfAdminProtocol> connect(UserGroupInformation user)
      throws IOException {
    return new HdrfRpc.Connection<>(
        HdrfAdminProtocol.class, server.getListenerAddress(), user, 0, conf);
  }

  private static void invoke(HdrfAdminProtocol proxy, Method method, Object[] arguments)
      throws Throwable {
    try {
      method.invoke(proxy, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  @Test
  void everyCallOfAnAdministratorIsNoted() throws Throwable {
    UserGroupInformation own = UserGroupInformation.getCurrentUser();
    try (HdrfRpc.Connection<HdrfAdminProtocol> connection = connect(own)) {
      for (Method method : HdrfAdminProtocol.class.getMethods()) {
        invoke(connection.proxy(), method, samples(method));
        assertThat(reached.get(reached.size() - 1)).isEqualTo(method.getName());
        String target =
            method.getParameterCount() == 0
                ? "null"
                : Arrays.stream(samples(method))
                    .map(argument -> argument instanceof byte[] ? "1 bytes" : "" + argument)
                    .collect(Collectors.joining(","));
        assertThat(log.last())
            .isEqualTo(
                (method.isAnnotationPresent(HdrfAdminProtocol.Looks.class) ? "DEBUG" : "INFO")
                    + "\tallowed=true\tugi="
                    + own
                    + "\tip=/127.0.0.1\tcmd="
                    + method.getName()
                    + "\ttarget="
                    + target
                    + "\tresult=ok");
      }
    }
    assertThat(log.lines).hasSize(HdrfAdminProtocol.class.getMethods().length);
  }

  @Test
  void noCallOfOthersReachesTheServiceAndEachIsNoted() throws IOException {
    UserGroupInformation stranger = UserGroupInformation.createRemoteUser("stranger");
    try (HdrfRpc.Connection<HdrfAdminProtocol> connection = connect(stranger)) {
      for (Method method : HdrfAdminProtocol.class.getMethods()) {
        assertThatThrownBy(() -> invoke(connection.proxy(), method, samples(method)))
            .hasMessageContaining("stranger is no administrator");
        assertThat(log.last())
            .startsWith("INFO\tallowed=false\tugi=stranger (auth:SIMPLE)\tip=/127.0.0.1\tcmd=")
            .contains("\tcmd=" + method.getName() + "\t")
            .contains("AccessControlException: stranger is no administrator");
      }
    }
    assertThat(reached).isEmpty();
    assertThat(log.lines).hasSize(HdrfAdminProtocol.class.getMethods().length);
  }

  /** A caller chooses names and arguments. */
  @Test
  void nothingThatIsSentLooksLikeAnotherFieldOrLine() throws IOException {
    UserGroupInformation odd =
        UserGroupInformation.createRemoteUser("x\nallowed=true\tugi=hdfs\u2028");
    String longText = new String(new char[5000]).replace('\0', 'y');
    try (HdrfRpc.Connection<HdrfAdminProtocol> connection = connect(odd)) {
      assertThatThrownBy(
              () -> connection.proxy().startTask("a\tresult=ok\r\n" + longText, "b", "c"))
          .isInstanceOf(IOException.class);
    }
    assertThat(log.lines).hasSize(1);
    assertThat(log.last().split("\t")).hasSize(7);
    assertThat(log.last()).doesNotContain("\n", "\r", "\u2028").hasSizeLessThan(1000);
  }

  /** HDFS recovers leases by the same handlers. */
  @Test
  void callsThatWaitForWhatHangsLeaveHalfOfTheHandlersFree() throws Throwable {
    UserGroupInformation own = UserGroupInformation.getCurrentUser();
    hung = new CountDownLatch(1);
    CountDownLatch latch = hung;
    ExecutorService callers = Executors.newCachedThreadPool();
    try (HdrfRpc.Connection<HdrfAdminProtocol> connection = connect(own)) {
      List<Future<?>> waiting = new ArrayList<>();
      for (int i = 0; i < HANDLERS / 2; i++) {
        waiting.add(callers.submit(() -> connection.proxy().records("DS-1", "BP-1", 0, 1)));
      }
      while (reached.size() < HANDLERS / 2) {
        Thread.sleep(1);
      }
      for (Method method : HdrfAdminProtocol.class.getMethods()) {
        if (NEVER_WAIT.contains(method.getName())) {
          invoke(connection.proxy(), method, samples(method));
          assertThat(reached.get(reached.size() - 1)).isEqualTo(method.getName());
        } else {
          assertThatThrownBy(() -> invoke(connection.proxy(), method, samples(method)))
              .as(method.getName())
              .isInstanceOf(RemoteException.class)
              .extracting(e -> ((RemoteException) e).unwrapRemoteException())
              .isInstanceOf(RetriableException.class);
          assertThat(log.last()).startsWith("INFO\tallowed=true").contains("wait already");
        }
      }
      assertThat(reached).hasSize(HANDLERS / 2 + NEVER_WAIT.size());
      // A failed call gives its turn back like a successful one.
      failure = "the disk is gone";
      hung = null;
      latch.countDown();
      for (Future<?> call : waiting) {
        assertThatThrownBy(call::get).hasMessageContaining(failure);
      }
      failure = null;
      for (int i = 0; i < 2 * HANDLERS; i++) {
        connection.proxy().jobs("verify");
      }
    } finally {
      latch.countDown();
      callers.shutdown();
    }
  }

  @Test
  void whatFailsIsNotedWithTheReason() throws IOException {
    failure = "a reason";
    try (HdrfRpc.Connection<HdrfAdminProtocol> connection =
        connect(UserGroupInformation.getCurrentUser())) {
      assertThatThrownBy(() -> connection.proxy().jobs("verify")).hasMessageContaining("a reason");
    }
    assertThat(log.last())
        .startsWith("INFO\tallowed=true")
        .endsWith("\tcmd=jobs\ttarget=verify\tresult=java.io.IOException: a reason");
  }
}
