/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.wire;

import io.hdrf.jni.Crc32c;
import io.hdrf.plugin.PluginLoadException;
import io.hdrf.reduce.HookedScheme;
import io.hdrf.sample.RunScheme;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.scheme.TrimScheme;
import io.hdrf.spi.scheme.FrameChain;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.apache.hadoop.conf.Configuration;

/** Records a stream and its expected output. */
public final class Tape implements Closeable {

  static final int TRIM_ZEROS = 60000;
  static final int TRIM_ONES = 60001;
  static final int DEFLATE = 65110;
  static final int BLOCK_SCHEME = 65004;

  /**
   * An event for a listener.
   *
   * @param at the number of bytes output before
   */
  record Event(String what, long at) {}

  private final WireChains chains = newChains();
  private final ByteArrayOutputStream stream = new ByteArrayOutputStream();
  private final ByteArrayOutputStream plain = new ByteArrayOutputStream();
  private final RecordWriter records = new RecordWriter(bytes -> take(bytes, stream));
  private int[] chainIds;
  private int preambleLength;

  /** The bytes of the frames written so far beyond the packets. */
  private byte[] ahead = new byte[0];

  final List<Event> events = new ArrayList<>();

  /** The allowed ends of the records, and the number of bytes output by then. */
  final NavigableMap<Integer, Integer> ends = new TreeMap<>();

  /** The positions in the output where packets and bytes of HDFS's protocol begin. */
  final List<Integer> begins = new ArrayList<>();

  /** Chains of {@link TrimScheme}s, a {@link HookedScheme} and a block scheme. */
  static WireChains newChains() {
    try {
      SchemeRegistry registry =
          SchemeRegistry.of(
              List.of(
                  new TrimScheme(0),
                  new TrimScheme(1),
                  new HookedScheme("hooked", DEFLATE, Integer.MAX_VALUE),
                  new RunScheme()));
      return new WireChains(registry, new Configuration(false));
    } catch (PluginLoadException e) {
      throw new IllegalStateException(e);
    }
  }

  static void take(ByteBuffer bytes, ByteArrayOutputStream to) {
    byte[] copy = new byte[bytes.remaining()];
    bytes.get(copy);
    to.writeBytes(copy);
  }

  /** Returns a record with a right checksum and any content. */
  public static byte[] record(int type, byte... body) {
    ByteBuffer bytes =
        ByteBuffer.allocate(WireFormat.RECORD_HEADER + body.length).order(ByteOrder.LITTLE_ENDIAN);
    bytes.put((byte) type).putInt(body.length).putInt(0).put(body);
    bytes.putInt(5, RecordWriter.recordCrc(bytes, 0, bytes.capacity()));
    return bytes.array();
  }

  static String crc(ByteBuffer bytes) {
    return bytes.remaining() + ":" + Integer.toHexString(Crc32c.update(0, bytes.duplicate()));
  }

  void begin(Capabilities own) throws IOException {
    records.begin(own);
    preambleLength = Preamble.LENGTH;
    events.add(new Event("hello " + own, plain.size()));
    mark();
  }

  void bytes(byte[] bytes) throws IOException {
    records.bytes(bytes, 0, bytes.length);
    for (int done = 0; done < bytes.length; done += WireFormat.MAX_BYTES) {
      byte[] part =
          Arrays.copyOfRange(bytes, done, Math.min(bytes.length, done + WireFormat.MAX_BYTES));
      events.add(new Event("bytes " + crc(ByteBuffer.wrap(part)), plain.size()));
      plain.writeBytes(part);
    }
    if (bytes.length > 0) {
      ahead = new byte[0];
    }
    mark();
  }

  void chain(int... ids) throws IOException {
    records.chain(ids);
    chainIds = ids;
    mark();
  }

  /** How many bytes of data the frames written so far hold beyond the packets. */
  int ahead() {
    return ahead.length;
  }

  /**
   * Writes a packet with all frames that it takes beyond what those before hold.
   *
   * @param length of its data
   */
  void packet(byte[] head, int length, byte[]... frames) throws IOException {
    packet(head, length, chainIds, frames);
  }

  /** Writes a packet that names another chain before its first frame. */
  void packet(byte[] head, int length, int[] newChain, byte[]... frames) throws IOException {
    begins.add(plain.size());
    events.add(new Event("packet " + length + " " + crc(ByteBuffer.wrap(head)), plain.size()));
    records.packet(length, head, 0, head.length);
    plain.writeBytes(head);
    ByteArrayOutputStream data = new ByteArrayOutputStream();
    data.writeBytes(ahead);
    if (!Arrays.equals(chainIds, newChain)) {
      records.chain(newChain);
      chainIds = newChain;
    }
    for (byte[] frame : frames) {
      frame(frame, plain.size() + data.size());
      data.writeBytes(frame);
    }
    byte[] all = data.toByteArray();
    plain.write(all, 0, length);
    ahead = Arrays.copyOfRange(all, length, all.length);
    mark();
  }

  /** Writes a packet without its checksums, as {@link #packet(byte[], int, byte[]...)}. */
  void summed(byte[] head, int length, byte[]... frames) throws IOException {
    ByteArrayOutputStream data = new ByteArrayOutputStream();
    data.writeBytes(ahead);
    for (byte[] frame : frames) {
      data.writeBytes(frame);
    }
    byte[] all = data.toByteArray();
    byte[] sums = checksums(Arrays.copyOf(all, length));
    begins.add(plain.size());
    byte[] announced = Arrays.copyOf(head, head.length + sums.length);
    events.add(new Event("packet " + length + " " + crc(ByteBuffer.wrap(announced)), plain.size()));
    records.summed(length, digest(sums), head, 0, head.length);
    for (byte[] frame : frames) {
      frame(frame, plain.size());
    }
    events.add(new Event("checksums " + crc(ByteBuffer.wrap(sums)), plain.size()));
    plain.writeBytes(head);
    plain.writeBytes(sums);
    plain.write(all, 0, length);
    ahead = Arrays.copyOfRange(all, length, all.length);
    mark();
  }

  /** As HDFS's clients make them. */
  static byte[] checksums(byte[] data) {
    ByteBuffer sums = ByteBuffer.allocate((data.length + 511) / 512 * 4);
    for (int from = 0; from < data.length; from += 512) {
      CRC32C crc = new CRC32C();
      crc.update(data, from, Math.min(512, data.length - from));
      sums.putInt((int) crc.getValue());
    }
    return sums.array();
  }

  static long digest(byte[] sums) {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(sums);
      return ByteBuffer.wrap(hash).order(ByteOrder.LITTLE_ENDIAN).getLong();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private void frame(byte[] frame, int at) throws IOException {
    FrameChain chain = chains.get(chainIds);
    ByteBuffer source = ByteBuffer.allocateDirect(frame.length).put(frame).flip();
    ByteBuffer stored = ByteBuffer.allocateDirect(chain.maxEncodedLength(frame.length));
    int stages = chain.encode(source, stored);
    stored.flip();
    events.add(new Event(frameEvent(chainIds, frame.length, stages, stored), at));
    records.frame(frame.length, stages, stored);
  }

  static String frameEvent(int[] ids, int length, int stages, ByteBuffer stored) {
    return "frame " + Arrays.toString(ids) + " " + length + " " + stages + " " + crc(stored);
  }

  private void mark() throws IOException {
    records.flush();
    ends.put(stream.size() - preambleLength, plain.size());
  }

  byte[] stream() {
    return stream.toByteArray();
  }

  /** The records without the preamble. */
  byte[] records() {
    byte[] all = stream();
    return Arrays.copyOfRange(all, preambleLength, all.length);
  }

  byte[] plain() {
    return plain.toByteArray();
  }

  @Override
  public void close() {
    records.close();
    chains.close();
  }
}
