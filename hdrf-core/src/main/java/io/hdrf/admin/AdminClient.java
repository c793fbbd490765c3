/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.admin;

import io.hdrf.spi.thread.HdrfThreads;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import javax.security.sasl.SaslException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.ipc.HdrfRpc;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.net.ConnectTimeoutException;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.UserGroupInformation;

/** A connection to HDRF in a running DataNode. For one thread. */
public final class AdminClient implements Closeable {

  private static final String CONNECT_RETRIES = "ipc.client.connect.max.retries";
  private static final String TIMEOUT_RETRIES = "ipc.client.connect.max.retries.on.timeouts";

  private static final String CONNECT_TIMEOUT = "ipc.client.connect.timeout";

  private static final String TRACE = "\n\tat ";

  /** The beginning of Hadoop's message about a failed login. */
  private static final String NO_CONNECTION = "Couldn't setup connection for ";

  private static final String HUNG_UP =
      "; the DataNode's log says why, such as a principal that its hadoop.security.auth_to_local"
          + " has no rule for";

  private static final int DEFAULT_TIMEOUT_MILLIS = 60_000;

  /** The pause between checks, during a long call, that the DataNode still answers. */
  private static final int PROBE_SECONDS = 10;

  /**
   * The first pause between polls of a task; each pause is twice the one before, up to the longest.
   */
  private static final long FIRST_PAUSE_MILLIS = 10;

  private static final long MAX_PAUSE_MILLIS = 500;

  private final InetSocketAddress address;
  private final int timeoutMillis;
  private final HdrfRpc.Connection<HdrfAdminProtocol> connection;
  private final HdrfRpc.Connection<HdrfAdminProtocol> longConnection;
  private final HdrfAdminProtocol protocol;

  /** For calls without a time-out. */
  private final HdrfAdminProtocol longProtocol;

  private AdminClient(
      InetSocketAddress address, UserGroupInformation user, int timeoutMillis, Configuration conf)
      throws IOException {
    this.address = address;
    this.timeoutMillis = timeoutMillis;
    this.connection =
        new HdrfRpc.Connection<>(HdrfAdminProtocol.class, address, user, timeoutMillis, conf);
    this.longConnection = new HdrfRpc.Connection<>(HdrfAdminProtocol.class, address, user, 0, conf);
    this.protocol = connection.proxy();
    this.longProtocol = longConnection.proxy();
  }

  /** Connects with a time-out of one minute. */
  public static AdminClient connect(InetSocketAddress address, Configuration configuration)
      throws IOException {
    return connect(address, configuration, DEFAULT_TIMEOUT_MILLIS);
  }

  /**
   * Connects as the current user; the first call makes the connection. Checks have no time-out: the
   * client starts a task and polls it until it has ended. If the client ends first, the task goes
   * on.
   *
   * @param timeoutMillis how long the DataNode may leave a short question unanswered
   * @param address of the DataNode's IPC server ({@code dfs.datanode.ipc.address})
   * @throws AccessControlException if a ticket is needed and the user has none
   */
  public static AdminClient connect(
      InetSocketAddress address, Configuration configuration, int timeoutMillis)
      throws IOException {
    UserGroupInformation user = UserGroupInformation.getCurrentUser();
    requireTicket(user);
    Configuration conf = new Configuration(configuration);
    conf.setInt(CONNECT_RETRIES, 1);
    conf.setInt(TIMEOUT_RETRIES, 0);
    conf.setInt(CONNECT_TIMEOUT, timeoutMillis);
    return new AdminClient(address, user, timeoutMillis, conf);
  }

  /**
   * Fails early without a ticket: Hadoop's own message only lists the server's ways of
   * authentication.
   */
  private static void requireTicket(UserGroupInformation user) throws AccessControlException {
    UserGroupInformation real = user.getRealUser() == null ? user : user.getRealUser();
    if (UserGroupInformation.isSecurityEnabled() && !real.hasKerberosCredentials()) {
      throw new AccessControlException(
          real.getUserName()
              + " has no Kerberos ticket: run kinit, or set KRB5PRINCIPAL and KRB5KEYTAB");
    }
  }

  /** A call and its result. */
  private interface Call<T> {
    T run() throws IOException;
  }

  private <T> T call(Call<T> call) throws IOException {
    try {
      return call.run();
    } catch (RemoteException e) {
      IOException plain =
          new RemoteException(e.getClassName(), withoutTrace(e.getMessage()))
              .unwrapRemoteException();
      plain.addSuppressed(e);
      throw plain;
    } catch (IOException e) {
      throw explained(e);
    }
  }

  /**
   * Adds the reason to a failed login, which Hadoop's message lacks. A server that finds no user
   * name for a principal hangs up without a message.
   */
  private IOException explained(IOException e) {
    if (e instanceof SocketTimeoutException && !(e instanceof ConnectTimeoutException)) {
      SocketTimeoutException plain =
          new SocketTimeoutException(
              address + " accepts connections and did not answer within " + timeoutMillis + " ms");
      plain.initCause(e);
      return plain;
    }
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      String message = String.valueOf(cause.getMessage());
      if (message.startsWith(NO_CONNECTION)) {
        boolean refusedBySasl = false;
        Throwable reason = cause;
        while (reason.getCause() != null) {
          reason = reason.getCause();
          refusedBySasl |= reason instanceof SaslException;
        }
        return new IOException(
            message + (reason == cause ? "" : ": " + reason) + (refusedBySasl ? "" : HUNG_UP), e);
      }
    }
    return e;
  }

  /** Removes the server's stack trace from a message. */
  private static String withoutTrace(String message) {
    int trace = message == null ? -1 : message.indexOf(TRACE);
    return trace < 0 ? message : message.substring(0, trace);
  }

  /**
   * Makes a call without a time-out; fails if the DataNode stops answering other calls meanwhile.
   */
  private <T> T longCall(Call<T> call) throws IOException {
    call(protocol::volumes);
    FutureTask<T> task = new FutureTask<>(() -> call(call));
    Thread caller = HdrfThreads.create("hdrf-admin-" + address, task);
    caller.start();
    while (true) {
      try {
        return task.get(PROBE_SECONDS, TimeUnit.SECONDS);
      } catch (TimeoutException e) {
        call(protocol::volumes);
      } catch (ExecutionException e) {
        if (e.getCause() instanceof IOException) {
          throw (IOException) e.getCause();
        }
        throw new IOException(e.getCause());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException("interrupted");
      }
    }
  }

  /** See {@link HdrfAdminProtocol#volumes}. */
  public List<VolumeInfo> volumes() throws IOException {
    return decoded(call(protocol::volumes));
  }

  /** See {@link HdrfAdminProtocol#schemeStores}. */
  public List<VolumeInfo> schemeStores() throws IOException {
    return decoded(call(protocol::schemeStores));
  }

  private static List<VolumeInfo> decoded(String[] lines) throws IOException {
    List<VolumeInfo> volumes = new ArrayList<>();
    for (String line : lines) {
      volumes.add(VolumeInfo.decode(line));
    }
    return volumes;
  }

  /** See {@link TaskKind#RECLAIM}. */
  public String[] reclaim(VolumeInfo volume) throws IOException {
    return reclaim(volume, line -> {});
  }

  /** As the method above; reports progress, as text of {@link io.hdrf.spi.TaskProgress}. */
  public String[] reclaim(VolumeInfo volume, Consumer<String> progress) throws IOException {
    return task(TaskKind.RECLAIM, volume.storageId(), volume.poolId(), progress);
  }

  /** See {@link HdrfAdminProtocol#records}. */
  public RecordPage records(VolumeInfo volume, long after) throws IOException {
    return RecordPage.decode(
        call(
            () ->
                protocol.records(
                    volume.storageId(), volume.poolId(), after, RecordPage.MAX_BLOCKS)));
  }

  /** See {@link HdrfAdminProtocol#block}. */
  public String[] block(long blockId) throws IOException {
    return longCall(() -> longProtocol.block(blockId));
  }

  /** See {@link TaskKind#CHECK} and {@link TaskKind#REPAIR}. */
  public String[] check(VolumeInfo volume, boolean repair) throws IOException {
    return check(volume, repair, line -> {});
  }

  /** As the method above; reports progress, as text of {@link io.hdrf.spi.TaskProgress}. */
  public String[] check(VolumeInfo volume, boolean repair, Consumer<String> progress)
      throws IOException {
    return task(
        repair ? TaskKind.REPAIR : TaskKind.CHECK, volume.storageId(), volume.poolId(), progress);
  }

  /** Starts a task and polls it until it has ended. */
  private String[] task(TaskKind kind, String storageId, String poolId, Consumer<String> progress)
      throws IOException {
    return task(kind, storageId, poolId, progress, Long.MAX_VALUE);
  }

  /**
   * Starts a task and polls it.
   *
   * @param maxMillis how long at most without progress
   * @throws SocketTimeoutException if it makes none; it goes on
   */
  private String[] task(
      TaskKind kind, String storageId, String poolId, Consumer<String> progress, long maxMillis)
      throws IOException {
    long lastNanos = System.nanoTime();
    String last = "";
    String id = call(() -> protocol.startTask(kind.word(), storageId, poolId));
    long pause = FIRST_PAUSE_MILLIS;
    while (true) {
      String[] now = call(() -> protocol.task(id));
      if (now.length > 0 && now[0].equals(AdminTasks.DONE)) {
        return Arrays.copyOfRange(now, 1, now.length);
      }
      if (now.length < 2) {
        throw new IOException(address + " answers something else: " + Arrays.toString(now));
      }
      progress.accept(now[1]);
      if (!now[1].equals(last)) {
        last = now[1];
        lastNanos = System.nanoTime();
      }
      if (TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - lastNanos) >= maxMillis) {
        throw new SocketTimeoutException(
            address
                + " made no progress within "
                + maxMillis
                + " ms, and goes on"
                + (now[1].isEmpty() ? "" : " (" + now[1] + " so far)"));
      }
      try {
        Thread.sleep(pause);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException("interrupted");
      }
      pause = Math.min(2 * pause, MAX_PAUSE_MILLIS);
    }
  }

  /**
   * See {@link TaskKind#REBUILD}; reports progress, as text of {@link io.hdrf.spi.TaskProgress}.
   */
  public String[] rebuild(VolumeInfo volume, Consumer<String> progress) throws IOException {
    return task(TaskKind.REBUILD, volume.storageId(), volume.poolId(), progress);
  }

  /** See {@link TaskKind#REFERENCES}. */
  public ReferenceReport checkReferences(VolumeInfo volume) throws IOException {
    return new ReferenceReport(
        task(TaskKind.REFERENCES, volume.storageId(), volume.poolId(), line -> {}));
  }

  /** See {@link HdrfAdminProtocol#startJob}. */
  public void startJob(JobKind kind, long rate, double fraction) throws IOException {
    call(
        () -> {
          protocol.startJob(kind.command(), rate, fraction);
          return null;
        });
  }

  /** See {@link HdrfAdminProtocol#stopJob}. */
  public void stopJob(JobKind kind) throws IOException {
    longCall(
        () -> {
          longProtocol.stopJob(kind.command());
          return null;
        });
  }

  /** See {@link HdrfAdminProtocol#jobs}. */
  public List<JobInfo> jobs(JobKind kind) throws IOException {
    List<JobInfo> jobs = new ArrayList<>();
    for (String line : call(() -> protocol.jobs(kind.command()))) {
      jobs.add(JobInfo.decode(line));
    }
    return jobs;
  }

  /**
   * See {@link TaskKind#SUM}.
   *
   * @param maxMillis how long to wait at most without progress
   * @throws SocketTimeoutException if the DataNode still counts then; it goes on, and a later call
   *     gets the result
   */
  public List<VolumeUse> use(long maxMillis) throws IOException {
    List<VolumeUse> all = new ArrayList<>();
    for (String line : task(TaskKind.SUM, "", "", progress -> {}, maxMillis)) {
      all.add(VolumeUse.decode(line));
    }
    return all;
  }

  /**
   * See {@link HdrfAdminProtocol#replicas}.
   *
   * @param count how many of the ids, at most {@link RecordPage#MAX_BLOCKS}
   */
  public RecordPage replicas(String poolId, long[] blockIds, int count) throws IOException {
    byte[] ids = BlockIds.encode(blockIds, count);
    return RecordPage.decode(call(() -> protocol.replicas(poolId, ids)));
  }

  /** See {@link HdrfAdminProtocol#metrics}; by name. */
  public Map<String, Long> metrics() throws IOException {
    return MetricLines.decode(call(protocol::metrics));
  }

  /** See {@link TaskKind#COUNT}. */
  public List<ReducedBlocks> reducedBlocks() throws IOException {
    return counts(TaskKind.COUNT, Long.MAX_VALUE);
  }

  /** See {@link TaskKind#LEFT_OUT}. */
  public List<ReducedBlocks> leftOut() throws IOException {
    return leftOut(Long.MAX_VALUE);
  }

  /**
   * As the method above.
   *
   * @param maxMillis how long to wait at most
   * @throws SocketTimeoutException if it takes longer
   */
  public List<ReducedBlocks> leftOut(long maxMillis) throws IOException {
    return counts(TaskKind.LEFT_OUT, maxMillis);
  }

  private List<ReducedBlocks> counts(TaskKind kind, long maxMillis) throws IOException {
    List<ReducedBlocks> counts = new ArrayList<>();
    for (String line : task(kind, "", "", progress -> {}, maxMillis)) {
      counts.add(ReducedBlocks.decode(line));
    }
    return counts;
  }

  @Override
  public void close() {
    connection.close();
    longConnection.close();
  }
}
