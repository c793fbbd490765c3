/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.benchmarks;

import io.hdrf.cluster.LinkCounters;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BinaryOperator;

/**
 * What was measured while files were written one after the other.
 *
 * @param bytes what the application had to write
 * @param storedBytes what HDFS got from it
 * @param seconds from create until close had returned
 * @param reducedSeconds from create until no DataNode had a block left to reduce
 * @param links of each DataNode's host, until close had returned
 * @param dataNodeSeconds processor time of each DataNode, until its blocks were reduced
 * @param clientSeconds processor time of the client until close had returned
 */
record Uploaded(
    long bytes,
    long storedBytes,
    double seconds,
    double reducedSeconds,
    List<LinkCounters> links,
    List<Double> dataNodeSeconds,
    double clientSeconds) {

  private static final double MB = 1e6;
  private static final double GB = 1e9;

  Uploaded plus(Uploaded other) {
    return new Uploaded(
        bytes + other.bytes,
        storedBytes + other.storedBytes,
        seconds + other.seconds,
        reducedSeconds + other.reducedSeconds,
        pairwise(links, other.links, Uploaded::sum),
        pairwise(dataNodeSeconds, other.dataNodeSeconds, Double::sum),
        clientSeconds + other.clientSeconds);
  }

  private static LinkCounters sum(LinkCounters a, LinkCounters b) {
    return new LinkCounters(
        a.sentBytes() + b.sentBytes(),
        a.receivedBytes() + b.receivedBytes(),
        a.sentFrames() + b.sentFrames(),
        a.receivedFrames() + b.receivedFrames());
  }

  private static <T> List<T> pairwise(List<T> a, List<T> b, BinaryOperator<T> sum) {
    List<T> sums = new ArrayList<>();
    for (int i = 0; i < a.size(); i++) {
      sums.add(sum.apply(a.get(i), b.get(i)));
    }
    return sums;
  }

  /**
   * The same as named figures; hosts and DataNodes are numbered from 1. Any of the others may be
   * the second in a pipeline, so their processor time is given together.
   */
  Figures figures() {
    Figures figures = new Figures();
    figures.put(MirroringTable.UNTIL_CLOSE, seconds);
    figures.put(MirroringTable.UNTIL_REDUCED, reducedSeconds);
    figures.put("given to HDFS (MB)", storedBytes / MB);
    long received = 0;
    for (int i = 0; i < links.size(); i++) {
      figures.put("host " + (i + 1) + " sent (MB)", links.get(i).sentBytes() / MB);
      figures.put("host " + (i + 1) + " received (MB)", links.get(i).receivedBytes() / MB);
      received += links.get(i).receivedBytes();
    }
    figures.put("received by all / written by the application", (double) received / bytes);
    double others = 0;
    for (double seconds : dataNodeSeconds.subList(1, dataNodeSeconds.size())) {
      others += seconds;
    }
    figures.put("DataNode 1 CPU (s/GB)", dataNodeSeconds.get(0) / (bytes / GB));
    figures.put("other DataNodes CPU (s/GB)", others / (bytes / GB));
    figures.put("client CPU (s/GB)", clientSeconds / (bytes / GB));
    return figures;
  }
}
