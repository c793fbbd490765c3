/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A Chromium without a window, with one page, driven by the DevTools protocol: what it shows, asks
 * for and complains about. It resolves no name but {@code localhost}. For one thread.
 */
final class Browser implements AutoCloseable {

  /** Where Debian's package {@code chromium} has it. */
  static final Path CHROMIUM = Path.of("/usr/bin/chromium");

  private static final int START_SECONDS = 60;
  private static final int ANSWER_SECONDS = 60;

  private final ObjectMapper json = new ObjectMapper();
  private final BlockingQueue<String> received = new LinkedBlockingQueue<>();
  private final List<JsonNode> events = new ArrayList<>();
  private final Process process;
  private final WebSocket socket;
  private int lastId;

  /**
   * Starts one.
   *
   * @param profile a directory that is not there yet
   */
  Browser(Path profile) throws IOException, InterruptedException {
    process =
        new ProcessBuilder(
                CHROMIUM.toString(),
                "--headless",
                // Chromium's sandbox does not start for root.
                "--no-sandbox",
                "--no-first-run",
                "--no-proxy-server",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-default-apps",
                "--disable-sync",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--hide-scrollbars",
                "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost",
                "--remote-debugging-port=0",
                "--user-data-dir=" + profile.toAbsolutePath(),
                "about:blank")
            .redirectErrorStream(true)
            .redirectOutput(new File(profile + ".log"))
            .start();
    try {
      socket = connect(profile.resolve("DevToolsActivePort"));
      for (String domain : List.of("Page", "Network", "Runtime", "Log")) {
        call(domain + ".enable");
      }
    } catch (IOException | InterruptedException | RuntimeException e) {
      end();
      throw e;
    }
  }

  private WebSocket connect(Path portFile) throws IOException, InterruptedException {
    HttpClient http = HttpClient.newHttpClient();
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
    while (System.nanoTime() < deadline && process.isAlive()) {
      // The file is there before its content is.
      if (Files.exists(portFile) && Files.readAllLines(portFile).size() > 1) {
        String port = Files.readAllLines(portFile).get(0);
        HttpRequest list =
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/json/list")).build();
        for (JsonNode target :
            json.readTree(http.send(list, HttpResponse.BodyHandlers.ofString()).body())) {
          if (target.get("type").asText().equals("page")) {
            URI address = URI.create(target.get("webSocketDebuggerUrl").asText());
            return http.newWebSocketBuilder().buildAsync(address, new Receiver()).join();
          }
        }
      }
      Thread.sleep(100);
    }
    throw new IOException("Chromium does not start");
  }

  /** Collects messages, which may come in parts. */
  private final class Receiver implements WebSocket.Listener {
    private final StringBuilder parts = new StringBuilder();

    @Override
    public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
      parts.append(data);
      if (last) {
        received.add(parts.toString());
        parts.setLength(0);
      }
      from.request(1);
      return null;
    }
  }

  private JsonNode receive() throws IOException, InterruptedException {
    String message = received.poll(ANSWER_SECONDS, TimeUnit.SECONDS);
    if (message == null) {
      throw new IOException("Chromium does not answer");
    }
    return json.readTree(message);
  }

  /**
   * Calls a method of the protocol.
   *
   * @param parameters names and values in turns
   * @return the result
   */
  JsonNode call(String method, Object... parameters) throws IOException, InterruptedException {
    ObjectNode message = json.createObjectNode().put("id", ++lastId).put("method", method);
    ObjectNode params = message.putObject("params");
    for (int i = 0; i < parameters.length; i += 2) {
      params.set((String) parameters[i], json.valueToTree(parameters[i + 1]));
    }
    socket.sendText(message.toString(), true).join();
    while (true) {
      JsonNode answer = receive();
      if (answer.path("id").asInt() == lastId) {
        if (answer.has("error")) {
          throw new IOException(method + ": " + answer.get("error"));
        }
        return answer.get("result");
      }
      events.add(answer);
    }
  }

  /** Forgets the events so far, opens an address, and waits until it is loaded. */
  void open(String address) throws IOException, InterruptedException {
    events.clear();
    call("Page.navigate", "url", address);
    while (events("Page.loadEventFired").isEmpty()) {
      events.add(receive());
    }
    // What the page itself causes comes before the answer to this.
    evaluate("new Promise(done => setTimeout(() => done(1), 300))");
  }

  /** Returns the parameters of the events of a kind since the last address was opened. */
  List<JsonNode> events(String method) {
    return events.stream()
        .filter(event -> event.path("method").asText().equals(method))
        .map(event -> event.get("params"))
        .toList();
  }

  /** Returns all that the browser has to say about the page, for people. */
  List<String> complaints() {
    List<String> all = new ArrayList<>();
    for (String kind :
        List.of("Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled")) {
      events(kind).forEach(event -> all.add(event.toString()));
    }
    return all;
  }

  /** Evaluates JavaScript, whatever the page's security policy is, and waits for its promise. */
  JsonNode evaluate(String expression) throws IOException, InterruptedException {
    JsonNode answer =
        call(
            "Runtime.evaluate",
            "expression",
            expression,
            "returnByValue",
            true,
            "awaitPromise",
            true);
    if (answer.has("exceptionDetails")) {
      throw new IOException(expression + ": " + answer.get("exceptionDetails"));
    }
    return answer.get("result").path("value");
  }

  /**
   * Has the page drawn anew.
   *
   * @param scheme {@code light} or {@code dark}
   * @param width of the window in pixels
   */
  void show(String scheme, int width) throws IOException, InterruptedException {
    ObjectNode feature =
        json.createObjectNode().put("name", "prefers-color-scheme").put("value", scheme);
    call("Emulation.setEmulatedMedia", "features", List.of(feature));
    call(
        "Emulation.setDeviceMetricsOverride",
        "width",
        width,
        "height",
        800,
        "deviceScaleFactor",
        1,
        "mobile",
        false);
  }

  /**
   * Presses and releases a key.
   *
   * @param key its name, such as {@code Tab}
   * @param code its Windows code
   */
  void press(String key, int code) throws IOException, InterruptedException {
    String text = key.equals("Enter") ? "\r" : "";
    for (String type : List.of(text.isEmpty() ? "rawKeyDown" : "keyDown", "keyUp")) {
      call(
          "Input.dispatchKeyEvent",
          "type",
          type,
          "key",
          key,
          "code",
          key,
          "text",
          type.equals("keyUp") ? "" : text,
          "windowsVirtualKeyCode",
          code);
    }
  }

  /** Writes the whole page as PNG. */
  void screenshot(Path file) throws IOException, InterruptedException {
    JsonNode size = call("Page.getLayoutMetrics").get("cssContentSize");
    ObjectNode clip =
        json.createObjectNode()
            .put("x", 0)
            .put("y", 0)
            .put("width", size.get("width").asDouble())
            .put("height", size.get("height").asDouble())
            .put("scale", 1);
    JsonNode shot =
        call(
            "Page.captureScreenshot", "format", "png", "captureBeyondViewport", true, "clip", clip);
    Files.write(file, Base64.getDecoder().decode(shot.get("data").asText()));
  }

  private void end() throws InterruptedException {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly().waitFor();
  }

  @Override
  public void close() throws InterruptedException {
    socket.abort();
    end();
  }
}
