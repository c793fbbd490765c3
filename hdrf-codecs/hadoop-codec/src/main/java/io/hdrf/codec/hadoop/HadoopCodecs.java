/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.hadoop;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.util.ReflectionUtils;

/** Hadoop's codecs by the names of their classes, made when first needed. Thread-safe. */
final class HadoopCodecs implements Closeable {

  /** The longest name that a frame can hold, in bytes. */
  static final int MAX_NAME_LENGTH = 255;

  private static final Pattern CLASS_NAME =
      Pattern.compile("[A-Za-z_][A-Za-z0-9_$]*(\\.[A-Za-z_][A-Za-z0-9_$]*)*");

  private static final int SAMPLE_LENGTH = 4 << 10;

  private final Configuration configuration;
  private final Map<String, HadoopCodec> codecs = new ConcurrentHashMap<>();

  /**
   * @param configuration for the codecs; its class loader finds their classes
   */
  HadoopCodecs(Configuration configuration) {
    this.configuration = configuration;
  }

  /**
   * Returns the codec of that class.
   *
   * @throws CodecUnavailableException if there is no such class, or it is not a codec
   */
  HadoopCodec get(String className) throws CodecUnavailableException {
    HadoopCodec codec = codecs.get(className);
    if (codec != null) {
      return codec;
    }
    HadoopCodec made = make(className);
    HadoopCodec other = codecs.putIfAbsent(className, made);
    return other != null ? other : made;
  }

  private HadoopCodec make(String className) throws CodecUnavailableException {
    if (className.length() > MAX_NAME_LENGTH || !CLASS_NAME.matcher(className).matches()) {
      throw new CodecUnavailableException("no class can have that name", null);
    }
    Class<?> found;
    try {
      found = configuration.getClassByName(className);
    } catch (ClassNotFoundException | LinkageError e) {
      throw new CodecUnavailableException(
          "the class "
              + className
              + " can't be loaded ("
              + e
              + "); put its jar on the DataNode's class path",
          e);
    }
    if (!CompressionCodec.class.isAssignableFrom(found)) {
      throw new CodecUnavailableException("the class " + className + " is no codec", null);
    }
    try {
      return new HadoopCodec(
          ReflectionUtils.newInstance(found.asSubclass(CompressionCodec.class), configuration));
    } catch (RuntimeException | LinkageError e) {
      throw new CodecUnavailableException("the class " + className + " can't be used: " + e, e);
    }
  }

  /**
   * Returns the codec of that class after it has encoded and decoded a sample: some need native
   * libraries, and fail only when they are used.
   *
   * @throws CodecUnavailableException if it does not work here
   */
  HadoopCodec proved(String className) throws CodecUnavailableException {
    HadoopCodec codec = get(className);
    ByteBuffer sample = ByteBuffer.allocateDirect(SAMPLE_LENGTH);
    ByteBuffer encoded = ByteBuffer.allocateDirect(2 * SAMPLE_LENGTH);
    ByteBuffer decoded = ByteBuffer.allocateDirect(SAMPLE_LENGTH);
    try {
      codec.encode(sample.duplicate(), new BufferOutput(encoded, encoded.capacity()));
      encoded.flip();
      codec.decode(encoded, decoded);
    } catch (IOException | RuntimeException | LinkageError e) {
      throw new CodecUnavailableException(
          "the codec " + className + " does not work here: " + e.getMessage(), e);
    }
    decoded.flip();
    if (!decoded.equals(sample)) {
      throw new CodecUnavailableException(
          "the codec " + className + " does not give back what it was given", null);
    }
    return codec;
  }

  @Override
  public void close() {
    codecs.values().forEach(HadoopCodec::close);
  }
}
