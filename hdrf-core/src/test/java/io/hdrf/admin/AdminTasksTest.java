/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.security.authorize.PolicyProvider;
import org.apache.hadoop.security.authorize.Service;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Work that a call starts and later calls poll. */
@Timeout(60)
class AdminTasksTest {

  private static final int HANDLERS = 2;

  private final AdminTasks tasks = new AdminTasks();

  private String[] await(String id) throws Exception {
    String[] now = tasks.poll(id);
    while (now[0].equals(AdminTasks.RUNNING)) {
      Thread.sleep(1);
      now = tasks.poll(id);
    }
    return now;
  }

  private static String nothing() {
    return "";
  }

  @Test
  void whatRunsIsNotBegunTwiceAndItsResultIsKept() throws Exception {
    CountDownLatch latch = new CountDownLatch(1);
    AdminTasks.Work work =
        () -> {
          await(latch);
          return Arrays.asList("7", "lines");
        };
    String id = tasks.start("check a", work, () -> "half");
    assertThat(tasks.start("check a", work, () -> "half")).isEqualTo(id);
    assertThat(tasks.poll(id)).containsExactly(AdminTasks.RUNNING, "half");
    latch.countDown();
    assertThat(await(id)).containsExactly(AdminTasks.DONE, "7", "lines");
    assertThat(tasks.poll(id)).containsExactly(AdminTasks.DONE, "7", "lines");
    assertThat(tasks.start("check a", work, () -> "half")).isNotEqualTo(id);
  }

  private static void await(CountDownLatch latch) throws IOException {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  @Test
  void whyWorkFailedIsSaidToWhoAsks() throws Exception {
    String failed =
        tasks.start(
            "a",
            () -> {
              throw new IOException("a reason");
            },
            AdminTasksTest::nothing);
    assertThatThrownBy(() -> await(failed)).isInstanceOf(IOException.class).hasMessage("a reason");
    String broken =
        tasks.start(
            "b",
            () -> {
              throw new OutOfMemoryError("too large");
            },
            AdminTasksTest::nothing);
    assertThatThrownBy(() -> await(broken))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("too large");
    assertThatThrownBy(() -> tasks.poll("7")).hasMessageContaining("There is no task 7");
  }

  @Test
  void oldResultsAreForgotten() throws Exception {
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      ids.add(tasks.start("a", Collections::emptyList, AdminTasksTest::nothing));
      await(ids.get(i));
    }
    assertThat(new HashSet<>(ids)).hasSize(100);
    assertThatThrownBy(() -> tasks.poll(ids.get(0))).hasMessageContaining("There is no task");
    assertThat(tasks.poll(ids.get(99))).containsExactly(AdminTasks.DONE);
  }

  /** Something that the server serves beside. */
  interface Other {}

  private static final class NoPolicy extends PolicyProvider {
    @Override
    public Service[] getServices() {
      return new Service[0];
    }
  }

  /** HDFS recovers leases by the same handlers. */
  @Test
  void moreChecksThanHandlersLeaveTheHandlersFree() throws Exception {
    CountDownLatch latch = new CountDownLatch(1);
    HdrfAdminProtocol service =
        (HdrfAdminProtocol)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {HdrfAdminProtocol.class},
                (self, method, arguments) -> {
                  switch (method.getName()) {
                    case "startTask":
                      return tasks.start(
                          Arrays.toString(arguments),
                          () -> {
                            await(latch);
                            return Arrays.asList("0", "0", "0", "0", "0");
                          },
                          () -> "0");
                    case "task":
                      return tasks.poll((String) arguments[0]);
                    default:
                      return new String[0];
                  }
                });
    Configuration conf = new Configuration();
    RPC.Server server =
        new RPC.Builder(conf)
            .setProtocol(Other.class)
            .setInstance(new Other() {})
            .setBindAddress("127.0.0.1")
            .setPort(0)
            .setNumHandlers(HANDLERS)
            .build();
    AdminEndpoint.addTo(server, service, conf, new NoPolicy());
    server.start();
    ExecutorService callers = Executors.newCachedThreadPool();
    try {
      CountDownLatch begun = new CountDownLatch(2 * HANDLERS);
      List<Future<String[]>> checks = new ArrayList<>();
      for (int i = 0; i < 2 * HANDLERS; i++) {
        VolumeInfo volume = new VolumeInfo("DS-" + i, "BP-1", "/d", "embedded", "in step", 0);
        checks.add(
            callers.submit(
                () -> {
                  try (AdminClient client =
                      AdminClient.connect(server.getListenerAddress(), conf)) {
                    return client.check(volume, false, line -> begun.countDown());
                  }
                }));
      }
      begun.await();
      try (AdminClient client = AdminClient.connect(server.getListenerAddress(), conf)) {
        assertThat(client.volumes()).isEmpty();
      }
      assertThat(checks).noneMatch(Future::isDone);
      latch.countDown();
      for (Future<String[]> check : checks) {
        assertThat(check.get()).containsExactly("0", "0", "0", "0", "0");
      }
    } finally {
      callers.shutdownNow();
      server.stop();
    }
  }
}
