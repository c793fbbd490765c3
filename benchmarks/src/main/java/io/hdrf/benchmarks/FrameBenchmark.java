/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import io.hdrf.corpus.SourceCorpus;
import io.hdrf.jni.Crc32c;
import io.hdrf.scheme.ChainCodec;
import io.hdrf.scheme.SchemeChain;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.scheme.VolumeSchemes;
import io.hdrf.spi.io.LocalDurableFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** What one frame of source text costs to encode, to decode and to check. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class FrameBenchmark {

  @Param("lz4")
  private String chain;

  @Param({"65536", "131072", "262144"})
  private int frameLength;

  private VolumeSchemes schemes;
  private ChainCodec codec;
  private ByteBuffer original;
  private ByteBuffer stored;
  private ByteBuffer decoded;
  private int stages;
  private Path store;

  /** Encodes one frame from the middle of the corpus. */
  @Setup(Level.Trial)
  public void encodeOnce() throws IOException {
    store = Files.createTempDirectory("hdrf-frame-benchmark");
    Configuration conf = new Configuration(false);
    conf.setInt("hdrf." + chain + ".frame.size", frameLength);
    SchemeRegistry registry = SchemeRegistry.load(Directories.dist().resolve("plugins"));
    schemes = new VolumeSchemes(registry, conf, store, LocalDurableFiles.INSTANCE);
    codec = schemes.codec(SchemeChain.parse("chain", chain, registry));
    original = ByteBuffer.allocateDirect(frameLength);
    SourceCorpus corpus = new SourceCorpus(Directories.home());
    try (FileChannel text = FileChannel.open(corpus.file(corpus.versions().get(0)))) {
      text.read(original, text.size() / 2);
    }
    stored = ByteBuffer.allocateDirect(frameLength);
    decoded = ByteBuffer.allocateDirect(frameLength);
    encode();
  }

  /** One frame, original to stored form. */
  @Benchmark
  public int encode() throws IOException {
    original.clear();
    codec.encode(
        frameLength,
        dst -> {
          int count = dst.remaining();
          dst.put(original);
          return count;
        },
        (length, mask, frame) -> {
          stages = mask;
          stored.clear();
          stored.put(frame);
          stored.flip();
        });
    return stored.remaining();
  }

  /** One frame, stored to original form. */
  @Benchmark
  public int decode() throws IOException {
    decoded.clear();
    codec.decode(stages, stored.duplicate(), decoded);
    return decoded.position();
  }

  /** The CRC32C of one frame's original bytes. */
  @Benchmark
  public int crc32c() {
    original.clear();
    return Crc32c.update(0, original);
  }

  /** Leaves nothing behind. */
  @TearDown(Level.Trial)
  public void close() throws IOException {
    schemes.close();
    Files.deleteIfExists(store);
  }
}
