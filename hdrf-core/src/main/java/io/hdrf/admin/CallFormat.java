/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.admin;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutput;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;

/**
 * Encodes calls of an interface's methods, whose names differ, as bytes. Arguments are strings,
 * numbers, booleans and {@code byte[]}; results are these, {@code String[]} or nothing. The
 * method's declaration decides which types are read, never the bytes, so that a caller can't make
 * the reader create other objects.
 */
public final class CallFormat {

  private static final byte VERSION = 1;

  private final Class<?> type;

  /**
   * @param type the interface
   */
  public CallFormat(Class<?> type) {
    this.type = type;
  }

  /** A decoded call. */
  public static final class Call {
    private final Method method;
    private final Object[] arguments;

    Call(Method method, Object[] arguments) {
      this.method = method;
      this.arguments = arguments;
    }

    public Method method() {
      return method;
    }

    /** Returns the arguments; not a copy. */
    public Object[] arguments() {
      return arguments;
    }
  }

  /**
   * Writes a call.
   *
   * @param arguments null where the method has none
   */
  public byte[] encodeCall(Method method, Object[] arguments) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.writeByte(VERSION);
    writeString(out, method.getName());
    Class<?>[] types = method.getParameterTypes();
    for (int i = 0; i < types.length; i++) {
      write(out, types[i], arguments[i]);
    }
    return bytes.toByteArray();
  }

  /**
   * Reads a call.
   *
   * @throws IOException if the interface has no such method, or the bytes are something else
   */
  public Call decodeCall(byte[] call) throws IOException {
    Input in = new Input(call);
    byte version = in.readByte();
    if (version != VERSION) {
      throw new IOException("A call of version " + version + "; known is " + VERSION);
    }
    Method method = method(readString(in));
    Class<?>[] types = method.getParameterTypes();
    Object[] arguments = new Object[types.length];
    for (int i = 0; i < types.length; i++) {
      arguments[i] = read(in, types[i]);
    }
    in.requireEnd();
    return new Call(method, arguments);
  }

  private Method method(String name) throws IOException {
    for (Method method : type.getMethods()) {
      if (method.getName().equals(name)) {
        return method;
      }
    }
    throw new IOException(
        "This version of HDRF knows no call "
            + name
            + ": the command and the DataNode have to be of one version");
  }

  /** Writes what a method returned. */
  public byte[] encodeResult(Method method, Object result) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    write(new DataOutputStream(bytes), method.getReturnType(), result);
    return bytes.toByteArray();
  }

  /** Reads what a method returned; null if it returned nothing. */
  public Object decodeResult(Method method, byte[] result) throws IOException {
    Input in = new Input(result);
    Object value = read(in, method.getReturnType());
    in.requireEnd();
    return value;
  }

  private static void write(DataOutput out, Class<?> type, Object value) throws IOException {
    if (type == String.class) {
      writeString(out, (String) value);
    } else if (type == long.class) {
      out.writeLong((Long) value);
    } else if (type == int.class) {
      out.writeInt((Integer) value);
    } else if (type == double.class) {
      out.writeDouble((Double) value);
    } else if (type == boolean.class) {
      out.writeBoolean((Boolean) value);
    } else if (type == byte[].class) {
      byte[] bytes = (byte[]) value;
      out.writeInt(bytes.length);
      out.write(bytes);
    } else if (type == String[].class) {
      String[] strings = (String[]) value;
      out.writeInt(strings.length);
      for (String string : strings) {
        writeString(out, string);
      }
    } else if (type != void.class) {
      throw new IllegalArgumentException("No form for " + type);
    }
  }

  private static Object read(Input in, Class<?> type) throws IOException {
    if (type == String.class) {
      return readString(in);
    } else if (type == long.class) {
      return in.readLong();
    } else if (type == int.class) {
      return in.readInt();
    } else if (type == double.class) {
      return in.readDouble();
    } else if (type == boolean.class) {
      return in.readBoolean();
    } else if (type == byte[].class) {
      return in.bytes(in.readInt());
    } else if (type == String[].class) {
      String[] strings = new String[in.count(in.readInt(), Integer.BYTES)];
      for (int i = 0; i < strings.length; i++) {
        strings[i] = readString(in);
      }
      return strings;
    } else if (type == void.class) {
      return null;
    }
    throw new IllegalArgumentException("No form for " + type);
  }

  private static void writeString(DataOutput out, String string) throws IOException {
    byte[] bytes = string.getBytes(StandardCharsets.UTF_8);
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  private static String readString(Input in) throws IOException {
    return new String(in.bytes(in.readInt()), StandardCharsets.UTF_8);
  }

  /** Input that never allocates more than the number of bytes left. */
  private static final class Input extends DataInputStream {
    Input(byte[] bytes) {
      super(new ByteArrayInputStream(bytes));
    }

    int count(int count, int size) throws IOException {
      if (count < 0 || (long) count * size > available()) {
        throw new EOFException("A call or its result ends early: " + count + " are announced");
      }
      return count;
    }

    byte[] bytes(int length) throws IOException {
      byte[] bytes = new byte[count(length, 1)];
      readFully(bytes);
      return bytes;
    }

    void requireEnd() throws IOException {
      if (available() > 0) {
        throw new IOException("A call or its result has " + available() + " bytes too many");
      }
    }
  }
}
