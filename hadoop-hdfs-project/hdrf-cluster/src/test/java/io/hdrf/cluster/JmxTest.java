/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class JmxTest {
  private final AtomicReference<String> page = new AtomicReference<>("");
  private final AtomicReference<String> asked = new AtomicReference<>();
  private HttpServer server;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/jmx",
        exchange -> {
          asked.set(exchange.getRequestURI().getQuery());
          byte[] body = page.get().getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private Jmx jmx() {
    return new Jmx(server.getAddress().getPort());
  }

  @Test
  void returnsBeansThatMatch() throws IOException {
    page.set("{\"beans\":[{\"name\":\"a\",\"n\":1},{\"name\":\"b\",\"n\":2}]}");
    assertThat(jmx().query("Hadoop:service=DataNode,name=Hdrf*"))
        .extracting(bean -> bean.path("n").asInt())
        .containsExactly(1, 2);
    assertThat(asked.get()).isEqualTo("qry=Hadoop:service=DataNode,name=Hdrf*");
  }

  @Test
  void noBeanIsAMissingNode() throws IOException {
    page.set("{\"beans\":[]}");
    JsonNode bean = jmx().bean("x");
    assertThat(bean.isMissingNode()).isTrue();
    assertThat(bean.path("NumLiveDataNodes").asInt(0)).isZero();
  }

  @Test
  void anythingElseIsAnError() {
    page.set("{\"error\":\"no\"}");
    assertThatThrownBy(() -> jmx().query("x")).isInstanceOf(IOException.class);
    page.set("<html>");
    assertThatThrownBy(() -> jmx().query("x")).isInstanceOf(IOException.class);
  }

  @Test
  void readsJsonInsideAString() throws IOException {
    assertThat(
            Jmx.embedded(TextNode.valueOf("[{\"ActorState\":\"RUNNING\"}]"))
                .path(0)
                .path("ActorState")
                .asText())
        .isEqualTo("RUNNING");
  }
}
