/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.reduce;

import java.io.IOException;

/** A block is left plain; carries no stack trace, for it is no error. */
public final class BlockSkippedException extends IOException {
  private static final long serialVersionUID = 1L;

  private final SkipReason reason;

  public BlockSkippedException(SkipReason reason, String detail) {
    super(detail);
    this.reason = reason;
  }

  public SkipReason reason() {
    return reason;
  }

  @Override
  public synchronized Throwable fillInStackTrace() {
    return this;
  }
}
