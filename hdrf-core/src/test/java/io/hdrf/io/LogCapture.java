/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.io;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.log4j.AppenderSkeleton;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.apache.log4j.spi.LoggingEvent;

/** Captures messages of at least a level while it is open. */
public class LogCapture extends AppenderSkeleton implements AutoCloseable {

  private final List<LoggingEvent> events = new ArrayList<>();
  private final String[] loggers;

  /**
   * Begins to listen.
   *
   * @param loggers parts of the loggers' names, one of which is enough; none for all loggers
   */
  public LogCapture(Level level, String... loggers) {
    this.loggers = loggers;
    setThreshold(level);
    Logger.getRootLogger().addAppender(this);
  }

  @Override
  protected synchronized void append(LoggingEvent event) {
    if (loggers.length == 0 || Stream.of(loggers).anyMatch(event.getLoggerName()::contains)) {
      events.add(event);
    }
  }

  @Override
  public boolean requiresLayout() {
    return false;
  }

  /** Not synchronized: who logs holds the root logger when it comes here. */
  @Override
  public void close() {
    Logger.getRootLogger().removeAppender(this);
  }

  public synchronized List<String> messages() {
    return events.stream().map(LoggingEvent::getRenderedMessage).toList();
  }

  /** The messages that came with an exception. */
  public synchronized List<String> withException() {
    return events.stream()
        .filter(event -> event.getThrowableInformation() != null)
        .map(LoggingEvent::getRenderedMessage)
        .toList();
  }

  public String all() {
    return String.join("\n", messages());
  }
}
