/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;

/** What a verification found. Immutable once it is returned. */
public final class VerifyReport {

  private static final int MAX_PROBLEMS = 100;

  private final long container;
  private final BitSet damagedChunks = new BitSet();
  private final List<String> problems = new ArrayList<>();
  private int chunks;
  private long bytesRead;

  VerifyReport(long container) {
    this.container = container;
  }

  void addRead(int moreChunks, long moreBytes) {
    chunks += moreChunks;
    bytesRead += moreBytes;
  }

  void addProblem(String problem) {
    if (problems.size() < MAX_PROBLEMS) {
      problems.add(problem);
    }
  }

  void addDamaged(int number) {
    damagedChunks.set(number);
  }

  /** The container's id. */
  public long container() {
    return container;
  }

  /** Whether all that was looked at is right. */
  public boolean isSound() {
    return problems.isEmpty();
  }

  /** Numbers of the chunks that can't be read. */
  public BitSet damagedChunks() {
    return (BitSet) damagedChunks.clone();
  }

  /** What is wrong, in words that name the file; at most {@value #MAX_PROBLEMS} of them. */
  public List<String> problems() {
    return Collections.unmodifiableList(problems);
  }

  /** How many chunks there are. */
  public int chunks() {
    return chunks;
  }

  /** How many bytes of groups were read. */
  public long bytesRead() {
    return bytesRead;
  }
}
