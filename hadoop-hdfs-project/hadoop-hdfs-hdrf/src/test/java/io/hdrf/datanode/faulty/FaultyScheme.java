/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.faulty;

import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.scheme.CorruptFrameException;
import io.hdrf.spi.scheme.FrameCodec;
import io.hdrf.spi.scheme.FrameScheme;
import io.hdrf.spi.scheme.SpiVersion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/**
 * Deflate that fails or delays on demand. System properties control it, since it runs behind a
 * separate class loader.
 */
public final class FaultyScheme implements FrameScheme {

  public static final String NAME = "faulty";
  public static final int ID = 65301;

  /** How decoding fails: {@code io}, {@code state} or {@code memory}; unset: it does not. */
  public static final String DECODE_FAILURE = "hdrf.test.faulty.decode";

  /** How long encoding a frame takes, in milliseconds. */
  public static final String ENCODE_DELAY = "hdrf.test.faulty.encode.delay";

  /** Encoding fails on threads whose names begin with this; unset: on none. */
  public static final String ENCODE_FAILURE = "hdrf.test.faulty.encode.thread";

  /**
   * If set to nothing, it is set to the volumes of the first DataNode that encodes; on every other
   * one encoding fails, on whatever thread.
   */
  public static final String ONLY_ENCODER = "hdrf.test.faulty.encode.only";

  /** Set to make opening it run out of memory. */
  public static final String OPEN_FAILURE = "hdrf.test.faulty.open";

  /** How long decoding a frame takes, in milliseconds. */
  public static final String DECODE_DELAY = "hdrf.test.faulty.decode.delay";

  /** Opening it waits while this is set, on threads whose names begin with it. */
  public static final String OPEN_WAITS = "hdrf.test.faulty.open.waits";

  /** Decoding waits while this is set, on threads whose names begin with it. */
  public static final String DECODE_WAITS = "hdrf.test.faulty.decode.waits";

  private static void await(String property) {
    while (Thread.currentThread().getName().startsWith(System.getProperty(property, "\n"))) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
  }

  @Override
  public int spiVersion() {
    return SpiVersion.CURRENT;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public int id() {
    return ID;
  }

  @Override
  public int frameLength(PluginSettings settings) {
    return 64 << 10;
  }

  @Override
  public FrameCodec newCodec(PluginSettings settings) {
    if (System.getProperty(OPEN_FAILURE) != null) {
      throw new OutOfMemoryError("unable to create native thread");
    }
    await(OPEN_WAITS);
    return new Codec(settings.configuration().get("dfs.datanode.data.dir"));
  }

  private static final class Codec implements FrameCodec {

    private final String volumes;

    Codec(String volumes) {
      this.volumes = volumes;
    }

    @Override
    public int maxEncodedLength(int length) {
      return length + length / 100 + 64;
    }

    @Override
    public void encode(ByteBuffer src, ByteBuffer dst) throws IOException {
      pause(ENCODE_DELAY);
      String failing = System.getProperty(ENCODE_FAILURE);
      if (failing != null && Thread.currentThread().getName().startsWith(failing)) {
        throw new IOException("encoding fails on " + Thread.currentThread().getName());
      }
      requireEncoder();
      Deflater deflater = new Deflater(1);
      try {
        deflater.setInput(src);
        deflater.finish();
        deflater.deflate(dst);
      } finally {
        deflater.end();
      }
    }

    private void requireEncoder() throws IOException {
      String encoder = System.getProperty(ONLY_ENCODER);
      if (encoder != null
          && !encoder.equals(volumes)
          && !System.getProperties().replace(ONLY_ENCODER, "", volumes)) {
        throw new IOException("only the DataNode with " + encoder + " may encode");
      }
    }

    private static void pause(String property) throws IOException {
      try {
        Thread.sleep(Integer.getInteger(property, 0));
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
    }

    @Override
    public void decode(ByteBuffer src, ByteBuffer dst) throws IOException {
      pause(DECODE_DELAY);
      await(DECODE_WAITS);
      switch (System.getProperty(DECODE_FAILURE, "")) {
        case "io":
          throw new IOException("the store is down");
        case "state":
          throw new IllegalStateException("the store is closed");
        case "memory":
          throw new OutOfMemoryError("Direct buffer memory");
        default:
          inflate(src, dst);
      }
    }

    private static void inflate(ByteBuffer src, ByteBuffer dst) throws IOException {
      Inflater inflater = new Inflater();
      try {
        inflater.setInput(src);
        inflater.inflate(dst);
      } catch (DataFormatException e) {
        throw new CorruptFrameException("no deflated data");
      } finally {
        inflater.end();
      }
    }
  }
}
