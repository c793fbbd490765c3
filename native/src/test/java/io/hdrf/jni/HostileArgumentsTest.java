/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.jni;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.FileDescriptor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * No argument of native code ends the virtual machine: a child calls every method of this package
 * that the library implements, past the checks in Java, with each argument wrong in each way, alone
 * and with others, and calls the public methods with arguments that they must refuse.
 */
class HostileArgumentsTest {

  @TempDir Path directory;

  @Test
  void noArgumentEndsTheVirtualMachine() throws Exception {
    Path output = directory.resolve("output");
    Process child =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:-CreateCoredumpOnCrash",
                "-XX:ErrorFile=" + directory.resolve("crash"),
                "-cp",
                System.getProperty("java.class.path"),
                Child.class.getName(),
                directory.toString())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    boolean ended = child.waitFor(2, TimeUnit.MINUTES);
    child.destroyForcibly();
    String said = Files.readString(output);
    assertThat(ended).as(said).isTrue();
    assertThat(child.exitValue()).as(said).isZero();
    assertThat(said).contains("done");
  }

  /** The virtual machine that makes the calls. */
  static final class Child {

    private static final Class<?>[] BOUND = {
      ChunkDelta.class,
      ChunkFeatures.class,
      Chunker.class,
      Crc32c.class,
      CuckooTable.class,
      FilterRows.class,
      NativeFiles.class,
      NativeLibrary.class,
      NativeThreads.class,
      NativeWords.class,
      Sha256.class
    };

    /**
     * Methods that take addresses, which Java gets from the library itself and gives to no caller.
     */
    private static final Set<String> TAKE_ADDRESSES = Set.of("wrap", "unmap", "map", "remap");

    private static Path directory;
    private static int refused;

    public static void main(String[] arguments) throws Exception {
      directory = Path.of(arguments[0]);
      if (NativeLibrary.isLoaded()) {
        Set<String> called = new TreeSet<>();
        for (Class<?> type : BOUND) {
          for (Method method : type.getDeclaredMethods()) {
            if (Modifier.isNative(method.getModifiers())
                && !TAKE_ADDRESSES.contains(method.getName())) {
              method.setAccessible(true);
              callWrongly(method);
              called.add(type.getSimpleName() + "." + method.getName());
            }
          }
        }
        System.out.println(called);
      }
      callPublicMethods();
      System.out.println(refused + " refused, done");
    }

    /** Passes every value of one argument with a few choices of the others. */
    private static void callWrongly(Method method) throws Exception {
      Class<?>[] types = method.getParameterTypes();
      List<List<Object>> values = new ArrayList<>();
      for (Class<?> type : types) {
        values.add(valuesOf(type));
      }
      for (int which = 0; which < types.length; which++) {
        for (Object value : values.get(which)) {
          for (int others = 0; others < 8; others++) {
            Object[] arguments = new Object[types.length];
            for (int i = 0; i < types.length; i++) {
              List<Object> some = values.get(i);
              arguments[i] = i == which ? value : some.get((others * (i + 1)) % some.size());
            }
            call(method, arguments);
          }
        }
      }
      call(method, new Object[types.length]);
    }

    private static void call(Method method, Object[] arguments) throws Exception {
      for (int i = 0; i < arguments.length; i++) {
        if (arguments[i] == null && method.getParameterTypes()[i].isPrimitive()) {
          arguments[i] = valuesOf(method.getParameterTypes()[i]).get(0);
        }
      }
      try {
        method.invoke(null, arguments);
      } catch (InvocationTargetException e) {
        if (!(e.getCause() instanceof RuntimeException)) {
          throw e;
        }
        refused++;
      }
    }

    private static List<Object> valuesOf(Class<?> type) throws Exception {
      List<Object> values = new ArrayList<>();
      if (type == int.class) {
        values.addAll(List.of(64, 0, 1, 63, 65, -1, 4096, 4097, 1 << 30, Integer.MAX_VALUE));
        values.add(Integer.MIN_VALUE);
      } else if (type == long.class) {
        values.addAll(List.of(0L, 1L, -1L, Long.MAX_VALUE, Long.MIN_VALUE));
      } else if (type == boolean.class) {
        values.addAll(List.of(true, false));
      } else if (type == ByteBuffer.class) {
        ByteBuffer direct = ByteBuffer.allocateDirect(4096);
        values.addAll(List.of(direct, direct.asReadOnlyBuffer(), ByteBuffer.allocate(4096)));
        values.add(ByteBuffer.allocateDirect(1 << 16));
        values.addAll(List.of(ByteBuffer.allocateDirect(0), unmapped()));
        values.add(null);
      } else if (type == LongBuffer.class) {
        values.addAll(List.of(FilterRows.longs(4096), FilterRows.longs(64), FilterRows.longs(1)));
        values.addAll(List.of(FilterRows.longs(0), LongBuffer.allocate(4096)));
        values.add(null);
      } else if (type == IntBuffer.class) {
        IntBuffer wrong = FilterRows.ints(64);
        wrong.put(0, Integer.MIN_VALUE);
        values.addAll(List.of(FilterRows.ints(64), FilterRows.ints(0), IntBuffer.allocate(64)));
        values.add(wrong);
        values.add(null);
      } else if (type == int[].class) {
        int[] beyond = new int[64];
        beyond[63] = Integer.MAX_VALUE;
        int[] falling = new int[64];
        falling[0] = 4096;
        int[] negative = new int[64];
        negative[5] = Integer.MIN_VALUE;
        values.addAll(List.of(new int[64], new int[0], beyond, falling, negative));
        values.add(null);
      } else if (type == byte[].class) {
        values.addAll(List.of(new byte[64 * 32], new byte[63 * 32 + 31], new byte[0]));
        values.add(null);
      } else if (type == FileDescriptor.class) {
        values.addAll(List.of(FileDescriptor.in, new FileDescriptor()));
        values.add(null);
      } else {
        FileChannel closed = FileChannel.open(file(), StandardOpenOption.READ);
        closed.close();
        values.add(closed);
        values.add(null);
      }
      return values;
    }

    private static Path file() throws Exception {
      Path file = directory.resolve("empty");
      if (!Files.exists(file)) {
        Files.createFile(file);
      }
      return file;
    }

    /** A direct buffer at address 0. */
    private static ByteBuffer unmapped() throws Exception {
      try (FileChannel channel = FileChannel.open(file(), StandardOpenOption.READ)) {
        return channel.map(FileChannel.MapMode.READ_ONLY, 0, 0);
      }
    }

    private interface Call {
      void run() throws Exception;
    }

    private static void mustRefuse(Call call) throws Exception {
      try {
        call.run();
      } catch (RuntimeException e) {
        refused++;
        return;
      }
      throw new AssertionError("this should have been refused");
    }

    private static void callPublicMethods() throws Exception {
      ByteBuffer direct = ByteBuffer.allocateDirect(4096);
      for (ByteBuffer data :
          List.of(direct, ByteBuffer.allocate(4096), direct.asReadOnlyBuffer())) {
        for (ChunkerAlgorithm algorithm : ChunkerAlgorithm.values()) {
          Chunker chunker = Chunker.of(algorithm, 512);
          mustRefuse(() -> chunker.cut(data, true, null));
          mustRefuse(() -> chunker.cut(data, false, null));
          mustRefuse(() -> chunker.cut(null, true, new int[1]));
          chunker.cut(data, true, new int[0]);
        }
        byte[] digests = new byte[64];
        for (int[] ends : new int[][] {null, {}, {-1, 0}, {2, 1}, {0, 4097}}) {
          mustRefuse(() -> Sha256.hash(data, ends, 2, digests));
          mustRefuse(() -> Crc32c.ofEach(data, ends, 2, new int[2]));
        }
        int[] ends = {1, 2};
        for (int count : new int[] {-1, 3, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
          mustRefuse(() -> Sha256.hash(data, ends, count, digests));
          mustRefuse(() -> Crc32c.ofEach(data, ends, count, new int[2]));
        }
        mustRefuse(() -> Sha256.hash(data, ends, 2, null));
        mustRefuse(() -> ChunkFeatures.of(data, ends, ends, 2, new int[23]));
        mustRefuse(() -> ChunkFeatures.of(data, ends, ends, 2, null));
        mustRefuse(() -> ChunkFeatures.of(data, null, ends, 2, new int[24]));
        mustRefuse(() -> ChunkFeatures.of(data, ends, new int[] {4097, 4097}, 2, new int[24]));
        mustRefuse(() -> new ChunkDelta().encode(data, data, null));
        mustRefuse(() -> new ChunkDelta().encode(data, null, data));
        mustRefuse(() -> ChunkDelta.decode(data, null, data));
        mustRefuse(() -> Sha256.hash(data, ends, 2, new byte[63]));
        mustRefuse(() -> Crc32c.ofEach(data, ends, 2, null));
        mustRefuse(() -> Crc32c.ofEach(data, ends, 2, new int[1]));
      }
      mustRefuse(() -> Sha256.hash(null, new int[1], 1, new byte[32]));
      mustRefuse(() -> Crc32c.update(0, null));
      mustRefuse(() -> Crc32c.ofEach(null, new int[1], 1, new int[1]));
      mustRefuse(() -> NativeFiles.fadvise((FileDescriptor) null, 0, 0, null));
      mustRefuse(() -> NativeFiles.fadvise((FileChannel) null, 0, 0, null));
      mustRefuse(() -> NativeFiles.fadvise(FileDescriptor.in, 0, 0, null));
      mustRefuse(() -> NativeFiles.fadvise(FileDescriptor.in, -1, 0, NativeFiles.Advice.WILLNEED));
      mustRefuse(() -> NativeFiles.beginWriting(null, 0, 0));
      mustRefuse(() -> NativeThreads.setNice(20));
      mustRefuse(() -> NativeWords.allocate(-1));
      NativeWords freed = NativeWords.allocate(1);
      freed.free();
      mustRefuse(freed::buffer);
      for (int count : new int[] {0, -1, Integer.MIN_VALUE, NativeWords.MAX_WORDS + 1}) {
        mustRefuse(() -> NativeWords.allocate(2).resized(count));
      }
      mustRefuse(() -> freed.resized(1));
      callFilters();
      callTables();
    }

    private static void callTables() throws Exception {
      for (int log2 : new int[] {-1, 26, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
        mustRefuse(() -> new CuckooTable(log2));
      }
      CuckooTable table = new CuckooTable(1);
      LongBuffer longs = CuckooTable.longs(64);
      LongBuffer few = CuckooTable.longs(63);
      LongBuffer turned = ByteBuffer.allocateDirect(512).order(other()).asLongBuffer();
      mustRefuse(() -> table.find(null, 64, longs));
      mustRefuse(() -> table.find(longs, 64, null));
      mustRefuse(() -> table.find(longs, 64, longs.asReadOnlyBuffer()));
      mustRefuse(() -> table.put(null, longs, 64));
      mustRefuse(() -> table.put(longs, null, 64));
      for (int count : new int[] {64, -1, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
        mustRefuse(() -> table.find(few, count, longs));
        mustRefuse(() -> table.find(longs, count, few));
        mustRefuse(() -> table.put(few, longs, count));
        mustRefuse(() -> table.put(longs, few, count));
      }
      mustRefuse(() -> table.find(turned, 64, longs));
      mustRefuse(() -> table.find(longs, 64, turned));
      mustRefuse(() -> table.put(turned, longs, 64));
      mustRefuse(() -> table.put(longs, turned, 64));
      table.find(longs, 64, longs);
      table.halve();
      mustRefuse(table::halve);
      table.free();
      mustRefuse(() -> table.find(longs, 64, longs));
      mustRefuse(() -> table.put(longs, longs, 64));
      mustRefuse(table::halve);
      mustRefuse(table::makeTwice);
    }

    private static ByteOrder other() {
      return ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN
          ? ByteOrder.LITTLE_ENDIAN
          : ByteOrder.BIG_ENDIAN;
    }

    private static void callFilters() throws Exception {
      LongBuffer longs = FilterRows.longs(64);
      IntBuffer ints = FilterRows.ints(64);
      mustRefuse(() -> FilterRows.keep(null, 64, 64, 0, longs, 20, longs, ints));
      mustRefuse(() -> FilterRows.keep(longs, 64, 64, 0, null, 20, longs, ints));
      mustRefuse(() -> FilterRows.keep(longs, 64, 64, 0, longs, 20, null, ints));
      mustRefuse(() -> FilterRows.keep(longs, 64, 64, 0, longs, 20, longs, null));
      mustRefuse(() -> FilterRows.keep(longs, 65, 64, 0, longs, 20, longs, ints));
      mustRefuse(() -> FilterRows.keep(longs, 64, 64, 0, longs, 65, longs, ints));
      mustRefuse(
          () -> FilterRows.keep(longs, 64, 64, 0, longs, 20, longs.asReadOnlyBuffer(), ints));
      mustRefuse(
          () -> FilterRows.keep(longs, 64, 64, 0, longs, 20, longs, ints.asReadOnlyBuffer()));
      LongBuffer turned = ByteBuffer.allocateDirect(512).order(other()).asLongBuffer();
      if (FilterRows.isNative()) {
        mustRefuse(() -> FilterRows.keep(turned, 64, 64, 0, longs, 20, longs, ints));
      }
      // Numbers in the words of the columns, which change while the row is read.
      ByteBuffer memory = ByteBuffer.allocateDirect(1 << 14).order(ByteOrder.nativeOrder());
      for (int i = 0; i < 1 << 12; i++) {
        memory.putInt(4 * i, i % 32);
      }
      LongBuffer row = FilterRows.longs(64);
      for (int i = 0; i < 64; i++) {
        row.put(i, -1);
      }
      FilterRows.keep(row, 64, 64, 0, longs, 1024, memory.asLongBuffer(), memory.asIntBuffer());
    }
  }
}
