/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.lifecycle.reader;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.ReadStatistics;
import org.apache.hadoop.hdfs.client.HdfsDataInputStream;

/**
 * A client program: reads a file from its beginning to its end and at random positions, compares it
 * with a local copy, and prints where the bytes came from. Arguments: the file, the copy, the
 * number of positions, a seed.
 */
public final class Reader {
  private static final int PIECE = 65_536;

  private Reader() {}

  public static void main(String[] arguments) throws IOException {
    byte[] expected = Files.readAllBytes(Paths.get(arguments[1]));
    Random random = new Random(Long.parseLong(arguments[3]));
    try (FileSystem fs = FileSystem.get(new Configuration());
        HdfsDataInputStream in = (HdfsDataInputStream) fs.open(new Path(arguments[0]))) {
      byte[] all = new byte[expected.length];
      in.readFully(all);
      require(in.read() < 0 && Arrays.equals(all, expected), "the whole file");
      byte[] piece = new byte[PIECE];
      for (int i = Integer.parseInt(arguments[2]); i > 0; i--) {
        int at = random.nextInt(expected.length - PIECE);
        in.readFully(at, piece);
        require(Arrays.equals(piece, Arrays.copyOfRange(expected, at, at + PIECE)), "at " + at);
      }
      ReadStatistics read = in.getReadStatistics();
      System.out.println(
          "local "
              + read.getTotalLocalBytesRead()
              + ", short-circuit "
              + read.getTotalShortCircuitBytesRead()
              + ", remote "
              + read.getRemoteBytesRead());
    }
  }

  private static void require(boolean same, String what) {
    if (!same) {
      throw new AssertionError("Other bytes: " + what);
    }
  }
}
