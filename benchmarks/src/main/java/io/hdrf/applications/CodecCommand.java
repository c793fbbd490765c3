/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.applications;

import io.hdrf.benchmarks.BenchmarkCluster;
import io.hdrf.benchmarks.Directories;
import io.hdrf.benchmarks.Inputs;
import io.hdrf.benchmarks.Report;
import io.hdrf.cluster.ClusterConfig;
import io.hdrf.cluster.ClusterException;
import io.hdrf.cluster.Hosts;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.hadoop.fs.ContentSummary;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Which applications obey a codec set in the job, and what HDRF stores of the same. */
@Command(
    name = "hibench",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Runs the Hadoop programs of HiBench's micro workloads with replication 3 on stock HDFS, on"
          + " stock HDFS with a codec set in each job, and on HDRF, and prints what is stored."
    })
public final class CodecCommand implements Callable<Integer> {

  /** What is run, and where it leaves its output. */
  private static final Map<String, String> OUTPUTS = new LinkedHashMap<>();

  static {
    OUTPUTS.put("RandomTextWriter", "/random");
    OUTPUTS.put("WordCount", "/words");
    OUTPUTS.put("Sort", "/random-sorted");
    OUTPUTS.put("TeraGen", "/tera");
    OUTPUTS.put("TeraSort", "/sorted");
    OUTPUTS.put("Streaming, text", "/lines");
    OUTPUTS.put("TestDFSIO, write", "/io/io_data");
    OUTPUTS.put("DistCp within", "/copy");
  }

  private static final int REPLICATION = 3;
  private static final String BLOCK_SIZE = Integer.toString(16 << 20);

  @Option(names = "--chain", defaultValue = "lz4", description = "HDRF's chain (${DEFAULT-VALUE}).")
  private String chain;

  @Option(
      names = "--codec",
      defaultValue = "org.apache.hadoop.io.compress.DefaultCodec",
      description =
          "The codec set in jobs (${DEFAULT-VALUE}; the thesis's Lz4Codec needs Hadoop's native"
              + " library).")
  private String codec;

  @Option(
      names = "--size-mb",
      defaultValue = "48",
      description = "What each application makes, in MB (${DEFAULT-VALUE}).")
  private int megabytes;

  @Mixin private Report report;

  private final Path directory = Directories.work("hibench");

  /**
   * What one application left.
   *
   * @param length of its files
   * @param physical what all DataNodes hold of them
   * @param failed whether it ended with an error
   */
  private record Stored(long length, long physical, boolean failed) {}

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new CodecCommand()).execute(arguments));
  }

  @Override
  public Integer call() throws IOException {
    Map<String, Stored> stock = run(BenchmarkCluster.STOCK, List.of());
    Map<String, Stored> withCodec =
        run(
            BenchmarkCluster.STOCK,
            List.of(
                "-Dmapreduce.output.fileoutputformat.compress=true",
                "-Dmapreduce.output.fileoutputformat.compress.type=BLOCK",
                "-Dmapreduce.output.fileoutputformat.compress.codec=" + codec));
    Map<String, Stored> reduced = run(chain, List.of());
    StringBuilder table = new StringBuilder("| program | stored by stock HDFS, MB |");
    table.append(" with the codec set in the job, MB | it obeys |");
    table.append(" HDRF with `").append(chain).append("`, MB |\n|---|---|---|---|---|\n");
    stock.forEach(
        (name, plain) -> {
          Stored coded = withCodec.get(name);
          table.append(
              String.format(
                  Locale.ROOT,
                  "| %s | %.0f | %.0f | %s | %.0f |%n",
                  name,
                  plain.physical / 1e6,
                  coded.physical / 1e6,
                  (coded.length < plain.length * 0.95 ? "yes" : "no")
                      + (coded.failed ? ", and fails" : ""),
                  reduced.get(name).physical / 1e6));
        });
    report.print(table.toString());
    Directories.delete(directory);
    return 0;
  }

  private Map<String, Stored> run(String variant, List<String> options) throws IOException {
    Map<String, Stored> stored = new LinkedHashMap<>();
    ClusterConfig config =
        BenchmarkCluster.config(directory, variant, REPLICATION, REPLICATION)
            .withHeaps("384m", "512m")
            .with("dfs.blocksize", BLOCK_SIZE);
    try (Bed bed = new Bed(config, Hosts.LOOPBACK, true)) {
      Inputs.writeText(bed.fs(), Applications.INPUT, megabytes * 1_000_000L);
      bed.setOptions(options);
      long before = bed.physicalBytes();
      for (Application application : new Applications(null, null, megabytes * 1_000_000L).all()) {
        String output = OUTPUTS.get(application.name());
        if (output != null) {
          System.err.println(variant + " " + options + ": " + application.name());
          boolean failed = false;
          try {
            application.work().run(bed);
          } catch (ClusterException e) {
            // TestDFSIO, for one, does not find its own result under a codec's name.
            if (options.isEmpty()) {
              throw e;
            }
            failed = true;
            System.err.println(application.name() + " fails with the codec: " + e.getMessage());
          } catch (IOException e) {
            throw e;
          } catch (Exception e) {
            throw new IOException(application.name() + " failed", e);
          }
          ContentSummary summary =
              bed.fs().getContentSummary(new org.apache.hadoop.fs.Path(output));
          long after = bed.physicalBytes();
          stored.put(application.name(), new Stored(summary.getLength(), after - before, failed));
          before = after;
        }
      }
    }
    return stored;
  }
}
