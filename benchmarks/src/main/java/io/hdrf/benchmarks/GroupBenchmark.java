/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import io.hdrf.corpus.SourceCorpus;
import io.hdrf.scheme.SchemeRegistry;
import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.scheme.BlockScheme;
import io.hdrf.spi.scheme.ChunkFunction;
import io.hdrf.spi.scheme.FrameChain;
import io.hdrf.spi.scheme.FrameScheme;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.apache.hadoop.conf.Configuration;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** What groups of new chunks take, as a container fills them and as packets could bring them. */
@Command(
    name = "groups",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Cuts versions of a source tree, one uncompressed tar each, into chunks as dedup does, and"
          + " encodes those that no version had before: in groups that are filled, as containers"
          + " have them, and in groups that hold what one packet brings, or what four bring that"
          + " share a frame, as a receiver could store them unchanged. Prints as Markdown what they"
          + " take. Nothing is stored.",
      ""
    })
public final class GroupBenchmark implements Callable<Integer> {

  /** HDFS's packets of a write: 126 times 512 bytes. */
  private static final int PACKET = 126 * 512;

  private static final int GROUP = 256 << 10;

  @Option(
      names = "--schemes",
      split = ",",
      defaultValue = "zstd,lz4",
      description = "What encodes the groups (${DEFAULT-VALUE}).")
  private List<String> schemes;

  @Option(
      names = "--versions",
      defaultValue = "10",
      description = "The last ones of benchmarks/data/versions.txt (${DEFAULT-VALUE}).")
  private int count;

  @Option(
      names = "--chunk-size",
      defaultValue = "5k",
      description = "hdrf.dedup.chunk.size (${DEFAULT-VALUE}).")
  private String chunkSize;

  @Spec private CommandSpec command;

  private final Configuration conf = new Configuration(false);

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new GroupBenchmark()).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    SourceCorpus corpus = new SourceCorpus(Directories.home());
    List<String> versions = corpus.versions();
    if (count < 1 || count > versions.size()) {
      throw new CommandLine.ParameterException(
          command.commandLine(), "--versions: 1 to " + versions.size());
    }
    conf.set("hdrf.dedup.chunk.size", chunkSize);
    SchemeRegistry registry = SchemeRegistry.load(Directories.dist().resolve("plugins"));
    ChunkFunction function =
        ((BlockScheme) registry.byName("dedup")).chunkFunction(new PluginSettings(conf, "dedup"));
    List<List<GroupRule>> rules = new ArrayList<>();
    for (String scheme : schemes) {
      rules.add(rules((FrameScheme) registry.byName(scheme), function.maxChunkLength()));
    }
    Set<ByteBuffer> known = new HashSet<>();
    List<String> measured = versions.subList(versions.size() - count, versions.size());
    for (String version : measured) {
      encodeNew(corpus.file(version), function, known, rules);
      if (version.equals(measured.get(0))) {
        print("the first version", rules);
      }
    }
    print(count + " versions", rules);
    return 0;
  }

  private List<GroupRule> rules(FrameScheme scheme, int longest) throws IOException {
    FrameChain chain = FrameChain.of(List.of(scheme), conf);
    String name = scheme.name();
    return List.of(
        GroupRule.filled(name + ", groups of 256 KiB", chain, GROUP, longest),
        GroupRule.filled(name + ", groups of 64 KiB", chain, 64 << 10, longest),
        GroupRule.sent(name + ", groups of four packets", chain, 4 * PACKET, GROUP, longest),
        GroupRule.sent(name + ", groups of one packet", chain, PACKET, GROUP, longest));
  }

  private static void encodeNew(
      Path file, ChunkFunction function, Set<ByteBuffer> known, List<List<GroupRule>> rules)
      throws IOException {
    ByteBuffer data;
    try (FileChannel channel = FileChannel.open(file)) {
      data = ByteBuffer.allocateDirect(Math.toIntExact(channel.size()));
      while (data.hasRemaining() && channel.read(data) >= 0) {}
    }
    data.flip();
    int[] ends = new int[4096];
    byte[] fingerprints = new byte[ends.length * ChunkFunction.FINGERPRINT_LENGTH];
    while (data.hasRemaining()) {
      int base = data.position();
      int chunks = function.cut(data, true, ends);
      function.fingerprints(data, ends, chunks, fingerprints);
      for (int i = 0; i < chunks; i++) {
        int at = i * ChunkFunction.FINGERPRINT_LENGTH;
        byte[] fingerprint =
            Arrays.copyOfRange(fingerprints, at, at + ChunkFunction.FINGERPRINT_LENGTH);
        if (known.add(ByteBuffer.wrap(fingerprint))) {
          add(data, base + (i == 0 ? 0 : ends[i - 1]), base + ends[i], rules);
        }
      }
      data.position(base + ends[chunks - 1]);
    }
    for (List<GroupRule> ofScheme : rules) {
      for (GroupRule rule : ofScheme) {
        rule.end();
      }
    }
  }

  private static void add(ByteBuffer data, int from, int to, List<List<GroupRule>> rules)
      throws IOException {
    ByteBuffer chunk = data.duplicate();
    for (List<GroupRule> ofScheme : rules) {
      for (GroupRule rule : ofScheme) {
        chunk.limit(to).position(from);
        rule.add(from, chunk);
      }
    }
  }

  private void print(String what, List<List<GroupRule>> rules) {
    System.out.printf(
        "New chunks of %s, chunks of %s%n%n"
            + "| | groups | stored (MB) | to filled groups of 256 KiB | could be adopted |%n"
            + "|---|---|---|---|---|%n",
        what, chunkSize);
    for (List<GroupRule> ofScheme : rules) {
      for (GroupRule rule : ofScheme) {
        System.out.printf(
            "| %s | %d | %.2f | %.3f | %.0f %% |%n",
            rule.name(),
            rule.count(),
            rule.storedBytes() / 1e6,
            (double) rule.storedBytes() / ofScheme.get(0).storedBytes(),
            100 * rule.adopted());
      }
    }
    System.out.println();
  }
}
