/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.admin.BlockSum;
import io.hdrf.conf.HdrfKeys;
import io.hdrf.datanode.volume.PoolSlice;
import io.hdrf.io.TestBytes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.security.AuthenticationFilterInitializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a DataNode's web server has of HDRF: the page, and metrics for Prometheus. */
@Timeout(120)
class PageTest {

  private static final String AUTHENTICATION = "hadoop.http.authentication.";

  private static final String PROMETHEUS = "/prom";

  private static HttpResponse<String> get(HdrfCluster cluster, String path)
      throws IOException, InterruptedException {
    return ask(cluster, path, "GET");
  }

  private static HttpResponse<String> ask(HdrfCluster cluster, String path, String method)
      throws IOException, InterruptedException {
    // Daemons in one process share a metrics system, and the first one's server has its sink.
    int port =
        path.equals(PROMETHEUS)
            ? cluster.mini().getNameNode().getHttpAddress().getPort()
            : cluster.datanode(0).getInfoPort();
    return ask(port, path, method);
  }

  private static HttpResponse<String> ask(int port, String path, String method)
      throws IOException, InterruptedException {
    URI uri = URI.create("http://localhost:" + port + path);
    HttpRequest request =
        HttpRequest.newBuilder(uri).method(method, HttpRequest.BodyPublishers.noBody()).build();
    // The proxy before the DataNode's pages refuses requests that offer HTTP/2.
    return HttpClient.newBuilder()
        .version(HttpClient.Version.HTTP_1_1)
        .build()
        .send(request, HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void thePageShowsWhatIsSavedAndRunsNothing() throws Exception {
    Configuration conf = HdrfCluster.configuration();
    conf.set(HdrfKeys.SCHEMES, "lz4");
    conf.set(HdrfKeys.PLUGINS_DIR, System.getProperty("hdrf.test.plugins.with.store"));
    try (HdrfCluster cluster = HdrfCluster.start(conf, 1)) {
      assertThat(get(cluster, "/hdrf").body()).contains("ten minutes after the start");
      cluster.write("/text", TestBytes.text(2 * HdrfCluster.BLOCK_SIZE, 3), 1);
      cluster.awaitReduced("/text");
      HdrfCluster.await("the records", () -> recorded(cluster));
      cluster.service(0).history().sample();
      await("the page", cluster, "/hdrf", "(?s).*<dt>blocks</dt><dd>2</dd>.*lz4.*");
      HttpResponse<String> page = get(cluster, "/hdrf");
      assertThat(page.statusCode()).isEqualTo(200);
      assertThat(page.headers().firstValue("Content-Type")).hasValue("text/html;charset=utf-8");
      assertThat(page.headers().firstValue("Content-Security-Policy").orElseThrow())
          .startsWith("default-src 'none'; style-src 'sha256-");
      assertThat(page.body())
          .contains(
              "<dt>blocks</dt><dd>2</dd>",
              "<dd>2.0 MiB</dd>",
              "<title>HDRF on ",
              "class=\"saved\"",
              "lz4")
          .doesNotContain("<script", "javascript:", " style=", "http://", "https://");
      for (String method : List.of("POST", "PUT", "DELETE", "TRACE")) {
        assertThat(ask(cluster, "/hdrf", method).statusCode()).as(method).isEqualTo(405);
      }
      assertThat(ask(cluster, "/hdrf", "HEAD").body()).isEmpty();
    }
  }

  /** Adds up until the records are there, which come a little after the blocks. */
  private static boolean recorded(HdrfCluster cluster) {
    cluster.service(0).history().sample();
    // A block is recorded as plain until its reduction is.
    BlockSum reduced = cluster.service(0).history().last().get(0).chains().get("lz4");
    return reduced != null && reduced.blocks() == 2;
  }

  @Test
  void whoeverTheWebServerKeepsOutSeesNoPage(@TempDir Path directory) throws Exception {
    Path secret = Files.writeString(directory.resolve("secret"), "a secret");
    Configuration conf = HdrfCluster.configuration();
    conf.set("hadoop.http.filter.initializers", AuthenticationFilterInitializer.class.getName());
    conf.set(AUTHENTICATION + "type", "simple");
    conf.set(AUTHENTICATION + "simple.anonymous.allowed", "false");
    conf.set(AUTHENTICATION + "signature.secret.file", secret.toString());
    try (HdrfCluster cluster = HdrfCluster.start(conf, 1)) {
      HttpResponse<String> refused = get(cluster, "/hdrf");
      assertThat(refused.statusCode()).isEqualTo(get(cluster, "/jmx").statusCode()).isIn(401, 403);
      assertThat(refused.body()).doesNotContain("Savings");
      assertThat(get(cluster, "/hdrf?user.name=alice").body()).contains("Savings");
    }
  }

  @Test
  void whereMetricsAreForAdministratorsThePageIsToo() throws Exception {
    Configuration conf = HdrfCluster.configuration();
    conf.set("hadoop.http.filter.initializers", AuthenticationFilterInitializer.class.getName());
    conf.set(AUTHENTICATION + "type", "simple");
    conf.set(AUTHENTICATION + "simple.anonymous.allowed", "false");
    conf.setBoolean("hadoop.security.instrumentation.requires.admin", true);
    conf.setBoolean("hadoop.security.authorization", true);
    conf.set(DFSConfigKeys.DFS_ADMIN, "alice");
    try (HdrfCluster cluster = HdrfCluster.start(conf, 1)) {
      assertThat(get(cluster, "/hdrf?user.name=alice").body()).contains("Savings");
      HttpResponse<String> bob = get(cluster, "/hdrf?user.name=bob");
      assertThat(bob.statusCode())
          .isEqualTo(get(cluster, "/jmx?user.name=bob").statusCode())
          .isEqualTo(403);
      assertThat(bob.body()).doesNotContain("Savings");
    }
  }

  private static List<Future<HttpResponse<String>>> readers(
      ExecutorService pool, HdrfCluster cluster, int count) {
    List<Future<HttpResponse<String>>> readers = new ArrayList<>();
    int port = cluster.datanode(0).getInfoPort();
    for (int i = 0; i < count; i++) {
      readers.add(pool.submit(() -> ask(port, "/hdrf", "GET")));
    }
    return readers;
  }

  @Test
  void aHundredReadersAtOnceSeeItAndADataNodeThatStopsLeavesNoneWaiting() throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(100);
    try (HdrfCluster cluster = HdrfCluster.start(HdrfCluster.configuration(), 1)) {
      for (Future<HttpResponse<String>> reader : readers(pool, cluster, 300)) {
        assertThat(reader.get(60, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
        assertThat(reader.get().body()).startsWith("<!DOCTYPE html>").endsWith("</html>");
      }
      // The status can be asked for while the service closes, and after that.
      HdrfService service = cluster.service(0);
      List<Future<HttpResponse<String>>> late = readers(pool, cluster, 300);
      cluster.mini().stopDataNode(0);
      for (Future<HttpResponse<String>> reader : late) {
        try {
          assertThat(reader.get(60, TimeUnit.SECONDS).statusCode())
              .isIn(200, 404, 500, 502, 503, 504);
        } catch (ExecutionException e) {
          assertThat(e).hasCauseInstanceOf(IOException.class);
        }
      }
      assertThat(service.status("dn")).isNotNull();
    } finally {
      pool.shutdownNow();
    }
  }

  /**
   * A volume's lock is held for as long as its disk takes to open a store, and for ever if that
   * hangs; the web server, which has one thread, answers nevertheless.
   */
  @Test
  void aVolumeThatHangsStopsNoPage() throws Exception {
    Configuration conf = HdrfCluster.configuration();
    conf.set(HdrfKeys.SCHEMES, "dedup");
    ExecutorService pool = Executors.newFixedThreadPool(5);
    try (HdrfCluster cluster = HdrfCluster.start(conf, 1)) {
      List<PoolSlice> slices = new ArrayList<>();
      cluster.service(0).slices().forEach(slices::add);
      String bean = "/jmx?qry=Hadoop:service=DataNode,name=Hdrf*";
      synchronized (slices.get(0).schemes()) {
        for (Future<HttpResponse<String>> reader : readers(pool, cluster, 5)) {
          assertThat(reader.get(30, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
        }
        Future<HttpResponse<String>> metrics = pool.submit(() -> get(cluster, bean));
        assertThat(metrics.get(30, TimeUnit.SECONDS).body()).contains("BlocksReduced");
      }
    } finally {
      pool.shutdownNow();
    }
  }

  @Test
  void metricsAreTheSameAsThoseOfAdministratorsAndPrometheus() throws Exception {
    Configuration conf = HdrfCluster.configuration();
    conf.setBoolean("hadoop.prometheus.endpoint.enabled", true);
    try (HdrfCluster cluster = HdrfCluster.start(conf, 1)) {
      cluster.write("/text", TestBytes.text(HdrfCluster.BLOCK_SIZE, 3), 1);
      cluster.awaitReduced("/text");
      String bean = "name=Hdrf-" + cluster.datanode(0).getDatanodeUuid();
      String jmx = "/jmx?qry=Hadoop:service=DataNode," + bean;
      // It is up to a second old.
      await("the metrics at /jmx", cluster, jmx, "(?s).*\"BlocksReduced\" : 1\\b.*");
      assertThat(cluster.service(0).adminService().metrics()).contains("BlocksReduced\t1");
      if (hasPrometheus()) {
        String line = "(?s).*\nhdrf_blocks_reduced\\{[^}]*} 1\n.*";
        await("the metrics at /prom", cluster, PROMETHEUS, line);
        assertThat(get(cluster, PROMETHEUS).body()).contains("hdrf_blocks_reduced_lz4{");
      } else {
        assertThat(get(cluster, PROMETHEUS).statusCode()).isEqualTo(404);
      }
    }
  }

  private static void await(String what, HdrfCluster cluster, String path, String pattern)
      throws InterruptedException {
    HdrfCluster.await(
        what,
        () -> {
          try {
            return get(cluster, path).body().matches(pattern);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        });
  }

  private static boolean hasPrometheus() {
    return PageTest.class.getResource("/org/apache/hadoop/http/PrometheusServlet.class") != null;
  }
}
