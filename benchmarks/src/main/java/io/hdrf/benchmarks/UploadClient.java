/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * The client of {@link MirroringBenchmark}, a process of its own on the first DataNode's host. It
 * does what the lines on its standard input say, one after the other, and answers each with a line
 * that begins with {@code ok} or {@code error}; fields are separated by tabs:
 *
 * <pre>
 * load LENGTH (FILE SHIFT)…         takes LENGTH bytes of local files into memory, SHIFT added to each byte
 * write CODEC REPLICATION PATH      ok SECONDS STORED: from create until close has returned
 * verify CODEC PATH                 reads it and compares it with what is in memory
 * delete PATH
 * </pre>
 */
final class UploadClient {

  private static final int BUFFER = 1 << 20;

  private final FileSystem fileSystem;
  private byte[] data = {};

  private UploadClient(FileSystem fileSystem) {
    this.fileSystem = fileSystem;
  }

  /** Takes the directory of Hadoop's configuration. */
  public static void main(String[] arguments) throws IOException {
    PrintStream answers = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    try (FileSystem fileSystem = BenchmarkCluster.client(java.nio.file.Path.of(arguments[0]));
        BufferedReader requests =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      UploadClient client = new UploadClient(fileSystem);
      for (String request = requests.readLine(); request != null; request = requests.readLine()) {
        answers.println(client.answer(request.split("\t", -1)));
      }
    }
  }

  private String answer(String[] request) {
    try {
      switch (request[0]) {
        case "load":
          load(Integer.parseInt(request[1]), Arrays.asList(request).subList(2, request.length));
          return "ok";
        case "write":
          return write(
              ClientCodec.valueOf(request[1]), Short.parseShort(request[2]), new Path(request[3]));
        case "verify":
          verify(ClientCodec.valueOf(request[1]), new Path(request[2]));
          return "ok";
        case "delete":
          fileSystem.delete(new Path(request[1]), true);
          return "ok";
        default:
          return "error\tno such request: " + request[0];
      }
    } catch (IOException | RuntimeException e) {
      return "error\t" + e.toString().replaceAll("\\s+", " ");
    }
  }

  private void load(int length, List<String> filesAndShifts) throws IOException {
    data = new byte[length];
    int filled = 0;
    for (int i = 0; i < filesAndShifts.size(); i += 2) {
      try (InputStream in = Files.newInputStream(java.nio.file.Path.of(filesAndShifts.get(i)))) {
        int count = in.readNBytes(data, filled, length - filled);
        Inputs.shift(data, filled, filled + count, Integer.parseInt(filesAndShifts.get(i + 1)));
        filled += count;
      }
    }
    if (filled < length) {
      throw new IOException("The files hold " + filled + " of " + length + " bytes");
    }
  }

  private String write(ClientCodec codec, short replication, Path path) throws IOException {
    long began = System.nanoTime();
    try (OutputStream out =
        codec.encode(
            fileSystem.create(
                path,
                true,
                fileSystem.getConf().getInt("io.file.buffer.size", 4096),
                replication,
                fileSystem.getDefaultBlockSize(path)))) {
      for (int written = 0; written < data.length; written += BUFFER) {
        out.write(data, written, Math.min(BUFFER, data.length - written));
      }
    }
    double seconds = (System.nanoTime() - began) / 1e9;
    return "ok\t" + seconds + "\t" + fileSystem.getFileStatus(path).getLen();
  }

  private void verify(ClientCodec codec, Path path) throws IOException {
    byte[] buffer = new byte[BUFFER];
    int read = 0;
    try (InputStream in = codec.decode(fileSystem.open(path))) {
      for (int count = in.readNBytes(buffer, 0, BUFFER);
          count > 0;
          count = in.readNBytes(buffer, 0, BUFFER)) {
        if (read + count > data.length
            || !Arrays.equals(buffer, 0, count, data, read, read + count)) {
          throw new IOException("wrong bytes in " + path + " behind " + read);
        }
        read += count;
      }
    }
    if (read != data.length) {
      throw new IOException("read " + read + " of " + data.length + " bytes of " + path);
    }
  }
}
