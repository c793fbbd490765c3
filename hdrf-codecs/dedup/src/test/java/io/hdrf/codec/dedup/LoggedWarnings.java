/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup;

import java.util.ArrayList;
import java.util.List;
import org.apache.log4j.AppenderSkeleton;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.apache.log4j.spi.LoggingEvent;

/** Captures warnings and errors in the log while it is open. */
public final class LoggedWarnings extends AppenderSkeleton implements AutoCloseable {
  private final List<String> messages = new ArrayList<>();

  public LoggedWarnings() {
    setThreshold(Level.WARN);
    Logger.getRootLogger().addAppender(this);
  }

  @Override
  protected synchronized void append(LoggingEvent event) {
    messages.add(event.getRenderedMessage());
  }

  @Override
  public boolean requiresLayout() {
    return false;
  }

  @Override
  public synchronized void close() {
    Logger.getRootLogger().removeAppender(this);
  }

  public synchronized String all() {
    return String.join("\n", messages);
  }
}
