/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.admin;

import io.hdrf.spi.thread.HdrfThreads;
import java.io.IOException;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * Tasks that administrators start and poll. No handler of the server waits for a task: HDFS needs
 * the handlers for the recovery of leases. Each task has its own thread; starting a task that is
 * already running returns the running one. Results are kept for the last {@value #MAX_ENDED} tasks
 * that ended. Thread-safe.
 */
public final class AdminTasks {

  /** The first string of the answer while a task runs; the second one is its progress. */
  public static final String RUNNING = "running";

  /** The first string of the answer after a task has ended; the result follows. */
  public static final String DONE = "done";

  private static final int MAX_ENDED = 64;

  /** The work of a task. */
  public interface Work {

    /**
     * Does the work.
     *
     * @return the result
     */
    List<String> run() throws IOException;
  }

  private static final class Task {
    private final String id = UUID.randomUUID().toString();
    private final Supplier<String> progress;
    private List<String> result;
    private Throwable failure;

    Task(Supplier<String> progress) {
      this.progress = progress;
    }
  }

  private final Map<String, Task> running = new HashMap<>();
  private final Map<String, Task> ended = new LinkedHashMap<>();

  /**
   * Starts a task and returns at once.
   *
   * @param what names the work; no two tasks of the same name run at the same time
   * @param progress describes the progress for people; must not wait
   * @return the task's id, unique even after a restart
   */
  public synchronized String start(String what, Work work, Supplier<String> progress) {
    Task known = running.get(what);
    if (known != null) {
      return known.id;
    }
    Task task = new Task(progress);
    HdrfThreads.create("hdrf-admin-" + what, () -> run(what, task, work)).start();
    running.put(what, task);
    return task.id;
  }

  private void run(String what, Task task, Work work) {
    List<String> result = null;
    Throwable failure = null;
    try {
      result = work.run();
    } catch (Throwable e) {
      failure = e;
    }
    synchronized (this) {
      task.result = result;
      task.failure = failure;
      running.remove(what, task);
      ended.put(task.id, task);
      Iterator<Task> oldest = ended.values().iterator();
      while (ended.size() > MAX_ENDED) {
        oldest.next();
        oldest.remove();
      }
    }
  }

  /**
   * Returns a task's progress or result.
   *
   * @return {@link #RUNNING} and a line about its progress, or {@link #DONE} and the result
   * @throws IOException if the task failed, with the reason, or there is no task with this id
   */
  public String[] poll(String id) throws IOException {
    Task task;
    synchronized (this) {
      task = ended.get(id);
      if (task == null) {
        task = running.values().stream().filter(t -> t.id.equals(id)).findFirst().orElse(null);
        if (task == null) {
          throw new IOException(
              "There is no task "
                  + id
                  + ": the DataNode was started again since, or many others have ended");
        }
        return new String[] {RUNNING, task.progress.get()};
      }
    }
    if (task.failure instanceof IOException) {
      throw (IOException) task.failure;
    } else if (task.failure != null) {
      throw new IOException(task.failure.toString(), task.failure);
    }
    String[] lines = new String[task.result.size() + 1];
    lines[0] = DONE;
    for (int i = 1; i < lines.length; i++) {
      lines[i] = task.result.get(i - 1);
    }
    return lines;
  }
}
