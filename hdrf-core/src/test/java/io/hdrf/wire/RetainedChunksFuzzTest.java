/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.TreeMap;

/**
 * Random sequences of events on held chunks (connections that ask, streams that join, pools that
 * end, time that passes), compared with a model of plain maps: promised chunks stay, byte for byte,
 * until the stream has used them; no others do; and all memory is freed. Runs on the kept inputs;
 * with {@code JAZZER_FUZZ=1} it looks for new ones.
 */
class RetainedChunksFuzzTest {

  private static final int MAX_PER_STREAM = 1000;
  private static final int MAX_MEMORY = 1500;
  private static final int LINGER = 60;
  private static final int SESSIONS = 4;
  private static final int MAX_STEPS = 400;

  /** Reads the steps; zeros behind the end. */
  private static final class Steps {
    private final byte[] bytes;
    private int position;

    Steps(byte[] bytes) {
      this.bytes = bytes;
    }

    boolean hasNext() {
      return position < bytes.length && position < MAX_STEPS;
    }

    int next(int bound) {
      return position < bytes.length ? (bytes[position++] & 0xFF) % bound : 0;
    }
  }

  private static void check(boolean right, String what) {
    if (!right) {
      throw new AssertionError(what);
    }
  }

  /** Batches that were taken, with their buffers. */
  private record Taken(ChunkBatch batch, ByteBuffer bytes) {}

  private record Promised(ChunkBatch batch, BitSet found) {}

  /** One session, and its expected state. */
  private static final class Session {
    private final int salt;
    private final String pool;
    private final RetainedChunks held;
    private final List<Taken> taken = new ArrayList<>();
    private final TreeMap<Integer, Promised> promised = new TreeMap<>();
    private int lastAsked = -1;
    private int released = -1;
    private int memory;
    private boolean joined;
    private boolean left;
    private boolean answered;
    private boolean ended;
    private long lingersUntil = Long.MAX_VALUE;

    /** What {@link RetainedChunks#resolve} gave last, and where its bytes lie in the batch. */
    private ByteBuffer handedOut;

    private int handedOutBatch;
    private int handedOutFrom;

    Session(int salt, String pool, RetainedChunks held) {
      this.salt = salt;
      this.pool = pool;
      this.held = held;
    }

    byte byteAt(int batch, int position) {
      return (byte) (31 * salt + 7 * batch + 13 * position + position / 256);
    }

    void modelRelease(int upTo) {
      released = Math.max(released, upTo);
      var unused = promised.headMap(upTo, true);
      unused.values().forEach(promise -> memory -= promise.batch().totalLength());
      unused.clear();
    }

    void checkHandedOut() {
      if (handedOut != null) {
        for (int i = 0; i < handedOut.remaining(); i++) {
          check(
              handedOut.get(handedOut.position() + i) == byteAt(handedOutBatch, handedOutFrom + i),
              "what a stream hands out has changed");
        }
      }
    }
  }

  private static final class Run {
    private final ManualTimer timer = new ManualTimer();
    private final ChunkQuerySessions sessions =
        new ChunkQuerySessions(MAX_PER_STREAM, MAX_MEMORY, LINGER, timer);
    private final List<Session> all = new ArrayList<>();
    private final Steps steps;
    private long now;

    Run(Steps steps) {
      this.steps = steps;
    }

    int memory() {
      return all.stream().mapToInt(session -> session.memory).sum();
    }

    void run() {
      while (steps.hasNext()) {
        step();
        check(sessions.memory() == memory(), "memory");
        check(sessions.memory() <= MAX_MEMORY, "too much memory");
        all.forEach(Session::checkHandedOut);
        all.forEach(session -> check(session.held.memory() == session.memory, "its memory"));
      }
      for (Session session : all) {
        finish(session);
        leave(session);
        for (Taken taken : session.taken) {
          session.held.giveBack(taken.batch(), taken.bytes());
        }
      }
      timer.pass(LINGER);
      check(sessions.memory() == 0, sessions.memory() + " bytes are never given back");
      check(sessions.count() == 0, sessions.count() + " sessions never end");
    }

    private void step() {
      int kind = steps.next(12);
      if (kind == 0 || all.isEmpty()) {
        if (all.size() < SESSIONS) {
          String pool = "BP-" + steps.next(2);
          all.add(new Session(all.size(), pool, sessions.open(pool)));
        }
        return;
      }
      Session session = all.get(steps.next(all.size()));
      switch (kind) {
        case 1, 2, 3 -> take(session);
        case 4, 5 -> hold(session);
        case 6, 7 -> resolve(session);
        case 8 -> release(session);
        case 9 -> join(session);
        case 10 -> {
          switch (steps.next(4)) {
            case 0 -> leave(session);
            case 1 -> finish(session);
            case 2 -> endPool(session.pool);
            default -> giveBack(session);
          }
        }
        default -> pass();
      }
    }

    private void take(Session session) {
      if (session.answered) {
        return;
      }
      int number = session.lastAsked + steps.next(4);
      int[] ends = new int[1 + steps.next(4)];
      int end = 0;
      for (int i = 0; i < ends.length; i++) {
        end += 1 + 2 * steps.next(200);
        ends[i] = end;
      }
      if (number < 0) {
        return;
      }
      ChunkBatch batch = new ChunkBatch(number, ends, new byte[ends.length * 32]);
      ByteBuffer bytes;
      try {
        bytes = session.held.take(batch);
      } catch (CorruptWireException e) {
        check(number <= session.lastAsked, "a batch that rises is refused");
        return;
      }
      check(number > session.lastAsked, "a batch that does not rise is taken");
      session.lastAsked = number;
      boolean room =
          !session.ended
              && number > session.released
              && session.memory + end <= MAX_PER_STREAM
              && memory() + end <= MAX_MEMORY;
      check((bytes != null) == room, room ? "there is room" : "there is no room");
      if (bytes != null) {
        check(bytes.position() == 0 && bytes.remaining() == end, "another length");
        session.memory += end;
        for (int i = 0; i < end; i++) {
          bytes.put(i, session.byteAt(number, i));
        }
        session.taken.add(new Taken(batch, bytes));
      }
    }

    private void giveBack(Session session) {
      if (!session.taken.isEmpty()) {
        Taken taken = session.taken.remove(steps.next(session.taken.size()));
        session.held.giveBack(taken.batch(), taken.bytes());
        session.memory -= taken.batch().totalLength();
      }
    }

    private void hold(Session session) {
      if (session.taken.isEmpty()) {
        return;
      }
      Taken taken = session.taken.remove(steps.next(session.taken.size()));
      BitSet found = BitSet.valueOf(new long[] {steps.next(16)});
      int number = taken.batch().number();
      boolean held = session.held.hold(taken.batch(), found, taken.bytes());
      check(held == number > session.released, "held or not");
      if (held) {
        session.promised.put(number, new Promised(taken.batch(), found));
      } else {
        session.memory -= taken.batch().totalLength();
      }
    }

    private void resolve(Session session) {
      if (!session.joined || session.left) {
        return;
      }
      int number = session.released + steps.next(6) - 1;
      int first = steps.next(5);
      int count = steps.next(5);
      int skip = steps.next(8) - 1;
      Promised promise = session.promised.get(number);
      boolean right =
          !session.ended
              && promise != null
              && count > 0
              && first + count <= promise.batch().count()
              && promise.found().get(first, first + count).cardinality() == count
              && skip >= 0
              && skip < promise.batch().ends()[first] - promise.batch().start(first);
      ByteBuffer bytes;
      try {
        bytes = session.held.resolve(number, first, count, skip);
      } catch (CorruptWireException e) {
        check(!right, "what was promised is not there");
        return;
      }
      check(right, "what was never promised is there");
      int from = promise.batch().start(first) + skip;
      check(
          bytes.remaining() == promise.batch().ends()[first + count - 1] - from,
          "another length than was asked for");
      session.modelRelease(number - 1);
      session.handedOut = bytes;
      session.handedOutBatch = number;
      session.handedOutFrom = from;
    }

    private void release(Session session) {
      if (session.joined && !session.left) {
        int upTo = session.released + steps.next(5) - 1;
        session.held.release(upTo);
        session.modelRelease(upTo);
        if (session.handedOut != null && session.handedOutBatch <= upTo) {
          session.handedOut = null;
        }
      }
    }

    private void join(Session session) {
      byte[] id = session.held.id();
      if (steps.next(8) == 1) {
        id[steps.next(id.length)] ^= 1;
        check(sessions.join(id) == null, "a guess is let in");
        return;
      }
      boolean right = !session.joined && !session.ended;
      check((sessions.join(id) == session.held) == right, "let in or not");
      session.joined |= right;
    }

    private void leave(Session session) {
      if (session.joined && !session.left) {
        session.held.leave();
        session.left = true;
        session.handedOut = null;
        session.modelRelease(Integer.MAX_VALUE);
        session.ended |= session.answered;
      }
    }

    private void finish(Session session) {
      if (!session.answered) {
        session.held.finish();
        session.answered = true;
        if (session.left || (!session.joined && session.memory == 0)) {
          end(session);
        } else if (!session.joined) {
          session.lingersUntil = now + LINGER;
        }
      }
    }

    private void endPool(String pool) {
      sessions.end(pool);
      for (Session session : all) {
        if (session.pool.equals(pool) && !session.ended) {
          end(session);
        }
      }
    }

    private void end(Session session) {
      session.ended = true;
      if (!session.joined || session.left) {
        session.modelRelease(Integer.MAX_VALUE);
      }
    }

    private void pass() {
      int time = steps.next(2 * LINGER);
      now += time;
      timer.pass(time);
      for (Session session : all) {
        if (session.lingersUntil <= now && !session.joined) {
          end(session);
        }
      }
    }
  }

  @FuzzTest(maxDuration = "1m")
  void anySequence(byte[] bytes) {
    new Run(new Steps(bytes)).run();
  }
}
