/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.hdrf.conf.HdrfKeys;
import io.hdrf.io.TestBytes;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileUtil;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The page of a DataNode with reduced blocks in Chromium, where that is installed ({@code apt-get
 * install chromium}); elsewhere this is left out. Leaves pictures of the page in {@code
 * target/test-data-N/browser}.
 */
@Timeout(300)
class BrowserTest {
  private static final int WIDE = 1060;
  private static final int NARROW = 360;

  private static Path directory;
  private static HdrfCluster cluster;
  private static Browser browser;
  private static String address;

  @BeforeAll
  static void start() throws Exception {
    assumeTrue(
        Files.isExecutable(Browser.CHROMIUM),
        "There is no " + Browser.CHROMIUM + ": the page is not looked at in a browser");
    directory = HdrfCluster.testData().resolve("browser");
    FileUtil.fullyDelete(directory.toFile());
    Files.createDirectories(directory);
    Configuration conf = HdrfCluster.configuration();
    conf.set(HdrfKeys.SCHEMES, "dedup,lz4");
    conf.set(HdrfKeys.PLUGINS_DIR, System.getProperty("hdrf.test.plugins.with.store"));
    conf.setInt("hdrf.metadata.flush.interval", 20);
    cluster = HdrfCluster.start(conf, 1, 2);
    int blocks = 0;
    for (int i = 0; i < 6; i++) {
      cluster.write("/text" + i, TestBytes.text((i + 1) * HdrfCluster.BLOCK_SIZE, i % 4), 1);
      cluster.write("/noise" + i, TestBytes.noise(HdrfCluster.BLOCK_SIZE / 2, i), 1);
      cluster.awaitReduced("/text" + i);
      blocks += i + 2;
      awaitRecorded(blocks);
      cluster.service(0).history().sample();
    }
    address = "http://localhost:" + cluster.datanode(0).getInfoPort() + "/hdrf";
    browser = new Browser(directory.resolve("profile"));
  }

  private static void awaitRecorded(long blocks) throws InterruptedException {
    HdrfCluster.await(
        "the records",
        () ->
            cluster.service(0).history().use().sum().stream()
                    .mapToLong(use -> use.all().blocks())
                    .sum()
                == blocks);
  }

  @AfterAll
  static void stop() throws Exception {
    if (browser != null) {
      browser.close();
    }
    if (cluster != null) {
      cluster.close();
    }
  }

  private static String text(String expression) throws Exception {
    return browser.evaluate(expression).asText();
  }

  @ParameterizedTest
  @CsvSource({"light, 'rgb(255, 255, 255)'", "dark, 'rgb(20, 22, 26)'"})
  void itIsDrawnWithoutAComplaintAndAsksNobodyElse(String scheme, String background)
      throws Exception {
    browser.show(scheme, WIDE);
    browser.open(address);
    browser.screenshot(directory.resolve(scheme + ".png"));
    assertThat(browser.complaints()).isEmpty();
    List<String> asked = new ArrayList<>();
    for (JsonNode request : browser.events("Network.requestWillBeSent")) {
      asked.add(request.get("request").get("url").asText());
    }
    assertThat(asked)
        .contains(address)
        .allMatch(url -> URI.create(url).getAuthority().equals(URI.create(address).getAuthority()));
    assertThat(text("document.title")).startsWith("HDRF on ");
    // The style sheet is in force: the policy allows its hash, and nothing else.
    assertThat(text("getComputedStyle(document.body).backgroundColor")).isEqualTo(background);
    JsonNode drawn =
        browser.evaluate(
            """
            [...document.querySelectorAll('svg.chart path')].map(path => ({
              kind: path.getAttribute('class'),
              width: path.getBoundingClientRect().width,
              height: path.getBoundingClientRect().height,
              fill: getComputedStyle(path).fill, stroke: getComputedStyle(path).stroke
            })).filter(path => path.kind != 'grid' && path.width > 50)
            """);
    assertThat(drawn).hasSize(3);
    for (JsonNode path : drawn) {
      assertThat(path.get("width").asDouble()).as(path.toString()).isGreaterThan(WIDE / 2.0);
      assertThat(path.get("height").asDouble()).as(path.toString()).isGreaterThan(10);
      assertThat(path.get("fill").asText() + path.get("stroke").asText()).contains("rgb");
    }
    assertThat(text("document.documentElement.scrollWidth <= innerWidth")).isEqualTo("true");
    assertThat(browser.evaluate(CONTRASTS)).as("texts too pale to be read").isEmpty();
  }

  /** The texts whose contrast with the page is below what WCAG 2 asks of normal text. */
  private static final String CONTRASTS =
      """
      (() => {
        const light = rgb => rgb.match(/[\\d.]+/g).slice(0, 3).map(v => v / 255)
          .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
          .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
        const behind = e => {
          for (; e; e = e.parentElement) {
            const color = getComputedStyle(e).backgroundColor;
            if (!color.endsWith(', 0)')) return color;
          }
          return 'rgb(255, 255, 255)';
        };
        return [...document.body.querySelectorAll('*')]
          .filter(e => [...e.childNodes].some(n => n.nodeType == 3 && n.data.trim()))
          .filter(e => e.tagName != 'title')
          .map(e => {
            const style = getComputedStyle(e);
            const own = light(e.closest('svg') ? style.fill : style.color);
            const page = light(behind(e));
            return [(Math.max(own, page) + 0.05) / (Math.min(own, page) + 0.05), e.textContent];
          })
          .filter(each => each[0] < 4.5);
      })()
      """;

  @Test
  void allOfItIsReachedByKeyboard() throws Exception {
    browser.show("light", NARROW);
    browser.open(address);
    browser.screenshot(directory.resolve("narrow.png"));
    assertThat(text("document.documentElement.scrollWidth <= innerWidth")).isEqualTo("true");
    int reachable = browser.evaluate("document.querySelectorAll('a, [tabindex]').length").asInt();
    List<String> reached = new ArrayList<>();
    for (int i = 0; i < reachable; i++) {
      browser.press("Tab", 9);
      reached.add(
          text(
              "document.activeElement.getAttribute('href')"
                  + " || document.activeElement.getAttribute('aria-label')"));
      assertThat(text("getComputedStyle(document.activeElement).outlineStyle"))
          .as("what shows that %s has the focus", reached)
          .isEqualTo("solid");
    }
    assertThat(reached)
        .doesNotHaveDuplicates()
        .startsWith("#attention", "#savings", "#work", "#volumes", "#memory", "#filters", "#damage")
        .contains("Savings over time", "By chain", "Deduplication");

    // A table that is too wide is moved with the arrows.
    browser.evaluate("document.querySelector('[aria-label=\"By chain\"]').focus()");
    browser.press("ArrowRight", 39);
    HdrfCluster.await("the table to move", () -> scrolled() > 0);
    browser.evaluate("document.querySelector('[href=\"#damage\"]').focus()");
    browser.press("Enter", 13);
    assertThat(text("location.hash")).isEqualTo("#damage");
    assertThat(browser.complaints()).isEmpty();
  }

  private static double scrolled() {
    try {
      return browser
          .evaluate("document.querySelector('[aria-label=\"By chain\"]').scrollLeft")
          .asDouble();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /** What a fault of the page would let in, the browser refuses. */
  @Test
  void whatIsForeignIsNotRun() throws Exception {
    browser.open(address);
    String image = "http://localhost:" + cluster.mini().getNameNode().getHttpAddress().getPort();
    browser.evaluate(
        """
        document.body.insertAdjacentHTML('beforeend',
          '<img src="%s/logo.png" onerror="window.ran = 1"><p id="styled" style="color:red">x</p>'
          + '<form action="%s/"><button id="send">x</button></form>');
        document.body.append(Object.assign(document.createElement('script'),
          {textContent: 'window.ran = 1'}));
        document.getElementById('send').click();
        """
            .formatted(image, image));
    browser.evaluate("new Promise(done => setTimeout(() => done(1), 500))");
    assertThat(text("String(window.ran)")).isEqualTo("undefined");
    assertThat(text("getComputedStyle(document.getElementById('styled')).color"))
        .isEqualTo(text("getComputedStyle(document.body).color"));
    assertThat(text("location.href")).isEqualTo(address);
    assertThat(String.join("\n", browser.complaints()))
        .contains("img-src", "script-src", "style-src", "form-action");
  }
}
