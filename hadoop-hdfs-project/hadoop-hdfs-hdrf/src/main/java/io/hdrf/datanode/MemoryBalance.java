/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import io.hdrf.conf.HdrfKeys;
import io.hdrf.spi.io.BufferPool;
import io.hdrf.spi.memory.MemoryBudget;
import io.hdrf.spi.thread.RepeatingThread;
import java.io.Closeable;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The memory of one DataNode, divided anew each second where there is a bound. Thread-safe. */
final class MemoryBalance implements Closeable {

  private static final Logger LOG = LoggerFactory.getLogger(MemoryBalance.class);

  private static final long INTERVAL_MILLIS = 1000;

  /** Volumes come one after the other when a DataNode starts; one warning is for all of them. */
  private static final int STEADY_TURNS = 10;

  private final long configured;
  private final MemoryBudget budget;
  private final Runnable idleBuffers;
  private final RepeatingThread thread = new RepeatingThread("hdrf-memory", this::step);

  /** The limit that was told last; used by the thread alone, as are the next ones. */
  private long told;

  /** The limit in the last turn, and how many turns before had the same. */
  private long last;

  private int steady;

  /**
   * @param configured bytes, or {@link MemoryBudget#UNLIMITED}
   */
  MemoryBalance(long configured) {
    this.configured = configured;
    told = configured;
    budget = new MemoryBudget(configured);
    idleBuffers = BufferPool.shared().countIn(budget);
    if (configured != MemoryBudget.UNLIMITED) {
      thread.start();
    }
  }

  MemoryBudget budget() {
    return budget;
  }

  private void step() throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(INTERVAL_MILLIS);
    long limit = budget.limit();
    steady = limit == last ? steady + 1 : 0;
    last = limit;
    if (steady == STEADY_TURNS && limit > told) {
      told = limit;
      LOG.warn(
          "{} is {} bytes; the volumes and block pools that are there need at least {}, which"
              + " are used",
          HdrfKeys.MEMORY,
          configured,
          limit);
    }
    budget.balance();
  }

  @Override
  public void close() {
    thread.stop();
    thread.interrupt();
    thread.join();
    idleBuffers.run();
  }
}
