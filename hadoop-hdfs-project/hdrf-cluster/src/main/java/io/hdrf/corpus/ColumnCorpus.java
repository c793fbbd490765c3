/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.corpus;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * Measurements as columns of numbers of one width each, little-endian, as Parquet and ORC store
 * them without dictionaries, and the same as rows: {@code target/corpus/columns/}. Always the same
 * bytes.
 */
public final class ColumnCorpus {

  private static final int ROWS = 1 << 20;
  private static final int SENSORS = 500;
  private static final long SEED = 20_220_331;

  /** A number of each measurement. */
  private enum Column {
    /** When, in milliseconds: it grows by a few. */
    TIME(8) {
      @Override
      void put(Row row, ByteBuffer to) {
        to.putLong(row.millis);
      }
    },
    /** Which sensor. */
    SENSOR(4) {
      @Override
      void put(Row row, ByteBuffer to) {
        to.putInt(row.sensor);
      }
    },
    /** What it measured, in steps of a hundredth: near its last value. */
    VALUE(8) {
      @Override
      void put(Row row, ByteBuffer to) {
        to.putDouble(row.hundredths[row.sensor] / 100.0);
      }
    },
    /** How sure that is. */
    QUALITY(4) {
      @Override
      void put(Row row, ByteBuffer to) {
        to.putFloat(row.quality);
      }
    },
    /** How many bytes have come: it grows by the length of a packet. */
    TRAFFIC(8) {
      @Override
      void put(Row row, ByteBuffer to) {
        to.putLong(row.bytes);
      }
    },
    /** What a sensor of full precision measured: it drifts. */
    LEVEL(8) {
      @Override
      void put(Row row, ByteBuffer to) {
        to.putDouble(row.level);
      }
    };

    private final int width;

    Column(int width) {
      this.width = width;
    }

    abstract void put(Row row, ByteBuffer to);
  }

  /** The present measurement. */
  private static final class Row {
    private final Random random = new Random(SEED);
    private final int[] hundredths = new int[SENSORS];
    private long millis = 1_648_684_800_000L;
    private int sensor;
    private float quality;
    private long bytes;
    private double level = 1000;

    Row() {
      for (int i = 0; i < SENSORS; i++) {
        hundredths[i] = 1500 + random.nextInt(2000);
      }
    }

    void next() {
      millis += random.nextInt(20);
      sensor = random.nextInt(SENSORS);
      hundredths[sensor] += random.nextInt(21) - 10;
      quality = 0.9f + random.nextInt(1000) / 10_000f;
      bytes += 40 + random.nextInt(1460);
      level += random.nextGaussian();
    }
  }

  private final Path directory;

  /**
   * @param home HDRF's source tree
   */
  public ColumnCorpus(Path home) {
    this.directory = home.resolve("target").resolve("corpus").resolve("columns");
  }

  /** Returns the files; makes missing ones. */
  public List<Path> files() throws IOException {
    Files.createDirectories(directory);
    List<Path> files = new ArrayList<>();
    for (Column column : Column.values()) {
      files.add(file(column.name().toLowerCase(Locale.ROOT), List.of(column)));
    }
    files.add(file("rows", List.of(Column.values())));
    return files;
  }

  private Path file(String name, List<Column> columns) throws IOException {
    int width = columns.stream().mapToInt(column -> column.width).sum();
    Path file = directory.resolve(name + "-" + width);
    if (Files.exists(file)) {
      return file;
    }
    Path part = directory.resolve(file.getFileName() + ".part");
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(part), 1 << 16)) {
      write(columns, width, out);
    }
    Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
    return file;
  }

  private static void write(List<Column> columns, int width, OutputStream out) throws IOException {
    byte[] bytes = new byte[width];
    ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    Row row = new Row();
    for (int i = 0; i < ROWS; i++) {
      row.next();
      buffer.clear();
      columns.forEach(column -> column.put(row, buffer));
      out.write(bytes);
    }
  }
}
