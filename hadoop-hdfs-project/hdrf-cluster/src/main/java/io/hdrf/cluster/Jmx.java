/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Reads a daemon's {@code /jmx} page. Safe for use by many threads. */
public final class Jmx {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final int TIMEOUT_MILLIS = 10_000;

  private final String address;
  private final int port;

  /**
   * @param port the daemon's HTTP port on 127.0.0.1
   */
  public Jmx(int port) {
    this(Host.LOOPBACK.address(), port);
  }

  /**
   * @param address the daemon's host
   * @param port the daemon's HTTP port
   */
  public Jmx(String address, int port) {
    this.address = address;
    this.port = port;
  }

  /**
   * Returns all beans that match an MBean query such as {@code Hadoop:service=DataNode,name=Hdrf*}.
   *
   * @throws IOException if the daemon doesn't answer, or not with beans
   */
  public List<JsonNode> query(String query) throws IOException {
    URI uri =
        URI.create(
            "http://"
                + address
                + ":"
                + port
                + "/jmx?qry="
                + URLEncoder.encode(query, StandardCharsets.UTF_8));
    HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection();
    connection.setConnectTimeout(TIMEOUT_MILLIS);
    connection.setReadTimeout(TIMEOUT_MILLIS);
    try (InputStream in = connection.getInputStream()) {
      return beans(in.readAllBytes());
    } finally {
      connection.disconnect();
    }
  }

  /** Returns the first bean that matches, or a missing node, whose every field is missing too. */
  public JsonNode bean(String query) throws IOException {
    List<JsonNode> beans = query(query);
    return beans.isEmpty() ? MissingNode.getInstance() : beans.get(0);
  }

  static List<JsonNode> beans(byte[] page) throws IOException {
    JsonNode beans = MAPPER.readTree(page).path("beans");
    if (!beans.isArray()) {
      throw new IOException("No beans in the answer of /jmx");
    }
    List<JsonNode> list = new ArrayList<>();
    beans.forEach(list::add);
    return list;
  }

  /** Parses an attribute that holds JSON as a string, as several of Hadoop's do. */
  static JsonNode embedded(JsonNode attribute) throws IOException {
    return attribute.isTextual() ? MAPPER.readTree(attribute.textValue()) : attribute;
  }
}
