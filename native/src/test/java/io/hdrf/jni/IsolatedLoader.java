/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.jni;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.nio.ByteBuffer;

/** Defines {@code io.hdrf.jni} again, as a plug-in's class loader or a second DataNode might. */
final class IsolatedLoader extends ClassLoader {

  private static final String PACKAGE = "io.hdrf.jni.";

  /** The library to find; null for the library of the build. */
  private final byte[] library;

  private IsolatedLoader(byte[] library) {
    super(IsolatedLoader.class.getClassLoader());
    this.library = library;
  }

  static IsolatedLoader create() {
    return new IsolatedLoader(null);
  }

  /**
   * @param library found instead of the library; empty for none
   */
  static IsolatedLoader withLibrary(byte[] library) {
    return new IsolatedLoader(library);
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (!name.startsWith(PACKAGE)) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      return loaded != null ? loaded : findClass(name);
    }
  }

  @Override
  protected Class<?> findClass(String name) throws ClassNotFoundException {
    try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
      byte[] bytes = in.readAllBytes();
      return defineClass(name, bytes, 0, bytes.length);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public InputStream getResourceAsStream(String name) {
    if (library == null || !name.endsWith("/libhdrf.so")) {
      return super.getResourceAsStream(name);
    }
    return library.length == 0 ? null : new ByteArrayInputStream(library);
  }

  boolean isLoaded() {
    return (boolean) call("NativeLibrary", "isLoaded");
  }

  String whyNot() {
    return (String) call("NativeLibrary", "whyNot");
  }

  String implementation() {
    return (String) call("Crc32c", "implementation");
  }

  int update(int crc, ByteBuffer buffer) {
    return (int)
        call("Crc32c", "update", new Class<?>[] {int.class, ByteBuffer.class}, crc, buffer);
  }

  boolean setNice(int nice) {
    return (boolean) call("NativeThreads", "setNice", new Class<?>[] {int.class}, nice);
  }

  /** {@code Chunker.of(algorithm, averageSize).cut(data, true, cuts)}. */
  int cut(String algorithm, int averageSize, ByteBuffer data, int[] cuts) {
    try {
      Class<?> type = Class.forName(PACKAGE + "ChunkerAlgorithm", true, this);
      Object constant = type.getMethod("valueOf", String.class).invoke(null, algorithm);
      Class<?>[] types = {type, int.class};
      Object chunker = call("Chunker", "of", types, constant, averageSize);
      return (int)
          chunker
              .getClass()
              .getMethod("cut", ByteBuffer.class, boolean.class, int[].class)
              .invoke(chunker, data, true, cuts);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(e.getMessage(), e);
    }
  }

  private Object call(String className, String method) {
    return call(className, method, new Class<?>[0]);
  }

  private Object call(String className, String method, Class<?>[] types, Object... arguments) {
    try {
      Class<?> owner = Class.forName(PACKAGE + className, true, this);
      if (owner.getClassLoader() != this) {
        throw new AssertionError(owner + " is of " + owner.getClassLoader());
      }
      return owner.getMethod(method, types).invoke(null, arguments);
    } catch (InvocationTargetException e) {
      throw new AssertionError(e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(e.getMessage(), e);
    }
  }
}
