/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.dba;

import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Work that may fail. What fails is put off until all else has been done. For one thread at a time.
 */
final class Retries {

  private static final Logger LOG = LoggerFactory.getLogger(Retries.class);

  /** A unit of work. */
  interface Work {
    void run() throws IOException;
  }

  private final DbaCounters counters;

  /** Filters, groups or kinds of work that failed since nothing was left to do the last time. */
  private final Set<Object> putOff = new HashSet<>();

  Retries(DbaCounters counters) {
    this.counters = counters;
  }

  /** Always returns true: something was done, or noted as put off. */
  boolean make(Object subject, String what, Work work) {
    try {
      work.run();
    } catch (IOException e) {
      counters.putOff.increment();
      putOff.add(subject);
      LOG.warn("{} is put off", what, e);
    }
    return true;
  }

  /** Returns whether work on it has failed, and is not to be tried now. */
  boolean isPutOff(Object subject) {
    return putOff.contains(subject);
  }

  /** Takes note that nothing else is left to do. */
  void retryAll() {
    putOff.clear();
  }
}
