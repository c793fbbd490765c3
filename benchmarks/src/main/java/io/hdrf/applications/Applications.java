/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.applications;

import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.Path;

/** The applications, in the order in which they run: later ones use what earlier ones left. */
final class Applications {

  static final String INPUT = "/input";

  static final String EXAMPLES = "org.apache.hadoop.examples.ExampleDriver";
  private static final String STREAMING = "org.apache.hadoop.streaming.HadoopStreaming";
  private static final String DISTCP = "org.apache.hadoop.tools.DistCp";
  private static final String DFSIO = "org.apache.hadoop.fs.TestDFSIO";
  private static final String BACK = "/back";
  static final String IN_FROM_KIN = "DistCp in from its kind";
  private static final List<String> COPIED_OUT = List.of("/random", "/copy");
  private static final String MAPS = "-Dmapreduce.job.maps=2";

  private final Bed origin;
  private final Spark spark;
  private final long bytes;

  /**
   * @param origin a stock cluster that holds the input and takes copies
   * @param spark null where there is none
   * @param bytes about how much each application that makes data is to make
   */
  Applications(Bed origin, Spark spark, long bytes) {
    this.origin = origin;
    this.spark = spark;
    this.bytes = bytes;
  }

  List<Application> all() {
    List<Application> all = new ArrayList<>();
    all.add(
        new Application(
            "DistCp from a stock cluster",
            this::copyIn,
            bed -> requireSame(origin, INPUT, bed, INPUT),
            List.of(INPUT)));
    all.add(
        new Application("RandomTextWriter", this::randomText, this::requireRandomText, List.of()));
    all.add(new Application("WordCount", this::wordCount, List.of("/words")));
    all.add(new Application("Sort", this::sort, List.of()));
    all.add(new Application("TeraGen", this::teraGen, List.of("/tera")));
    all.add(new Application("TeraSort", this::teraSort, List.of("/sorted")));
    all.add(new Application("TeraValidate", this::teraValidate, List.of("/valid")));
    all.add(new Application("Streaming, text", this::streaming, List.of("/lines")));
    all.add(new Application("Streaming, null output", this::streamingToNull, List.of()));
    all.add(
        new Application("TestDFSIO, write", bed -> dfsio(bed, "-write"), List.of("/io/io_data")));
    all.add(new Application("TestDFSIO, read", bed -> dfsio(bed, "-read"), List.of()));
    if (spark != null) {
      all.add(
          new Application("Spark word count", bed -> spark(bed, "words"), List.of("/spark/words")));
      all.add(
          new Application("Spark Parquet", bed -> spark(bed, "parquet"), List.of("/spark/rows")));
      all.add(new Application("Spark SQL", bed -> spark(bed, "sql"), List.of("/spark/sql")));
    }
    all.add(
        new Application(
            "DistCp within", this::copyWithin, Applications::requireCopied, List.of("/copy")));
    all.add(
        new Application(
            "DistCp -update", this::copyUpdate, Applications::requireCopied, List.of("/copy")));
    all.add(
        new Application(
            "DistCp -update -diff", this::copyDiff, Applications::requireCopied, List.of("/copy")));
    all.add(
        new Application(
            "DistCp to a stock cluster", this::copyOut, this::requireCopiedOut, List.of()));
    return all;
  }

  /**
   * Copies between clusters, each to a place where nothing is, so that they can be repeated.
   *
   * @param kin for each cluster another one with the same chain that holds the input
   */
  List<Application> transfers(Map<Bed, Bed> kin) {
    return List.of(
        new Application(
            "DistCp in from stock",
            bed -> copy(bed, origin, INPUT, bed, "/from-stock"),
            bed -> requireSame(origin, INPUT, bed, "/from-stock"),
            List.of()),
        new Application(
            IN_FROM_KIN,
            bed -> copy(bed, kin.get(bed), INPUT, bed, "/from-kin"),
            bed -> requireSame(kin.get(bed), INPUT, bed, "/from-kin"),
            List.of()),
        new Application(
            "DistCp out to stock",
            bed -> copy(bed, bed, INPUT, origin, BACK),
            bed -> {
              requireSame(bed, INPUT, origin, BACK);
              origin.fs().delete(new Path(BACK), true);
            },
            List.of()));
  }

  private void copyIn(Bed bed) throws IOException {
    copy(bed, origin, INPUT, bed, INPUT);
  }

  /** By a job on the first of these clusters. */
  private static void copy(Bed runner, Bed from, String source, Bed to, String target)
      throws IOException {
    runner.run("distcp", DISTCP, "-m", "2", from.uri() + source, to.uri() + target);
  }

  private static void requireSame(Bed from, String path, Bed to, String copy) throws IOException {
    Map<String, String> expected = Digests.of(from.fs(), new Path(path));
    Map<String, String> found = Digests.of(to.fs(), new Path(copy));
    if (expected.isEmpty() || !expected.equals(found)) {
      throw new IOException("copied were " + expected + ", found is " + found);
    }
  }

  private void randomText(Bed bed) throws IOException {
    bed.run(
        "randomtext",
        EXAMPLES,
        "randomtextwriter",
        "-Dmapreduce.randomtextwriter.totalbytes=" + bytes,
        "-Dmapreduce.randomtextwriter.bytespermap=" + bytes / 2,
        "/random");
  }

  private void requireRandomText(Bed bed) throws IOException {
    if (bed.fs().getContentSummary(new Path("/random")).getLength() < bytes) {
      throw new IOException("RandomTextWriter wrote too little");
    }
  }

  private void wordCount(Bed bed) throws IOException {
    bed.run("wordcount", EXAMPLES, "wordcount", INPUT, "/words");
  }

  private void sort(Bed bed) throws IOException {
    bed.run(
        "sort",
        EXAMPLES,
        "sort",
        "-r",
        "1",
        "-outKey",
        "org.apache.hadoop.io.Text",
        "-outValue",
        "org.apache.hadoop.io.Text",
        "/random",
        "/random-sorted");
  }

  private void teraGen(Bed bed) throws IOException {
    bed.run("teragen", EXAMPLES, "teragen", MAPS, Long.toString(bytes / 100), "/tera");
  }

  private void teraSort(Bed bed) throws IOException {
    bed.run("terasort", EXAMPLES, "terasort", "-Dmapreduce.job.reduces=1", "/tera", "/sorted");
  }

  private void teraValidate(Bed bed) throws IOException {
    bed.run("teravalidate", EXAMPLES, "teravalidate", "/sorted", "/valid");
  }

  private void streaming(Bed bed) throws IOException {
    bed.run(
        "streaming",
        STREAMING,
        "-Dmapreduce.job.reduces=0",
        "-input",
        INPUT,
        "-output",
        "/lines",
        "-mapper",
        "cat");
  }

  private void streamingToNull(Bed bed) throws IOException {
    bed.run(
        "streaming-null",
        STREAMING,
        "-Dmapreduce.job.reduces=0",
        "-input",
        INPUT,
        "-output",
        "/nothing",
        "-mapper",
        "cat",
        "-outputformat",
        "org.apache.hadoop.mapred.lib.NullOutputFormat");
  }

  private void dfsio(Bed bed, String what) throws IOException {
    bed.run(
        "dfsio",
        DFSIO,
        "-Dtest.build.data=/io",
        what,
        "-nrFiles",
        "2",
        "-size",
        bytes / 2 / 1_000_000 + "MB",
        "-resFile",
        bed.conf().resolve("dfsio.log").toString());
  }

  private void spark(Bed bed, String job) throws IOException {
    spark.run(bed, job);
  }

  private void copyWithin(Bed bed) throws IOException {
    bed.run("distcp", DISTCP, "-m", "2", INPUT, "/copy");
  }

  /** A file more, and one that is longer. */
  private static void change(Bed bed, String name) throws IOException {
    Path added = new Path(INPUT, name);
    try (OutputStream out = bed.fs().create(added)) {
      out.write(name.repeat(100_000).getBytes(java.nio.charset.StandardCharsets.US_ASCII));
    }
    Path first = bed.fs().listStatus(new Path(INPUT))[0].getPath();
    try (OutputStream out = bed.fs().append(first)) {
      out.write(name.repeat(1000).getBytes(java.nio.charset.StandardCharsets.US_ASCII));
    }
  }

  private void copyUpdate(Bed bed) throws IOException {
    change(bed, "added");
    bed.run("distcp", DISTCP, "-update", "-m", "2", INPUT, "/copy");
  }

  private void copyDiff(Bed bed) throws IOException {
    for (String path : List.of(INPUT, "/copy")) {
      bed.fs().allowSnapshot(new Path(path));
      bed.fs().createSnapshot(new Path(path), "before");
    }
    change(bed, "more");
    bed.fs().createSnapshot(new Path(INPUT), "after");
    bed.run("distcp", DISTCP, "-update", "-diff", "before", "after", "-m", "2", INPUT, "/copy");
  }

  private static void requireCopied(Bed bed) throws IOException {
    requireSame(bed, INPUT, bed, "/copy");
  }

  private void copyOut(Bed bed) throws IOException {
    origin.fs().delete(new Path(BACK), true);
    for (String path : COPIED_OUT) {
      bed.run("distcp", DISTCP, "-m", "2", path, origin.uri() + BACK + path);
    }
  }

  private void requireCopiedOut(Bed bed) throws IOException {
    for (String path : COPIED_OUT) {
      requireSame(bed, path, origin, BACK + path);
    }
    origin.fs().delete(new Path(BACK), true);
  }
}
