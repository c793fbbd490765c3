/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.hdrf.admin.BlockSum;
import io.hdrf.admin.JobInfo;
import io.hdrf.admin.JobInfo.Figure;
import io.hdrf.admin.StoreBytes;
import io.hdrf.admin.VolumeInfo;
import io.hdrf.admin.VolumeUse;
import io.hdrf.admin.WorstBlock;
import java.io.StringReader;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

class StatusPageTest {
  private static final String EVIL = "<script>alert(\"1\")</script>&'";

  private static Status status(String word) {
    String directory = "/data/" + word;
    VolumeUse use =
        new VolumeUse.Builder("DS-1", "BP-1", directory, word, 5)
            .blocks("dedup,lz4", new BlockSum(4, 4_000_000, 1_000_000))
            .blocks(VolumeUse.PLAIN, new BlockSum(1, 1000, 1000))
            .files(Map.of("dedup/containers", 999_000L))
            .worst(new WorstBlock(4711, 2000, 1999, word))
            .build();
    JobInfo job =
        new JobInfo(
            "DS-1",
            "BP-1",
            directory,
            "automatic",
            JobInfo.State.RUNNING,
            Map.of(Figure.BLOCKS, 10L, Figure.BLOCKS_LOOKED, 4L),
            Map.of(),
            List.of());
    return new Status(
        word,
        Map.of("CorruptBlocks", 2L, "DedupDbaMemoryBytes", 77L, word, 1L),
        List.of(use),
        List.of(
            new Status.Sample(0, 1_000_000, 900_000),
            new Status.Sample(600_000, 2_000_000, 1_000_000),
            new Status.Sample(1_200_000, 4_001_000, 2_000_000)),
        Map.of("convert", List.of(job)),
        List.of(new VolumeInfo("DS-1", "BP-1", directory, "embedded", "down: " + word, 0)),
        List.of(new VolumeInfo("DS-1", "BP-1", directory, "dedup", "container 7: " + word, 0)),
        Map.of(StoreBytes.key("DS-1", "BP-1"), Map.of("DedupGcGarbageBytes", 123_000L)));
  }

  /** Parses it as XML, which every element's begin and end must fit. */
  private static Document parsed(String page) throws Exception {
    String xml = page.replace("<!DOCTYPE html>\n", "").replaceAll("<(meta[^>]*)>", "<$1/>");
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new InputSource(new StringReader(xml)));
  }

  @Test
  void whatIsSavedIsSaidAndDrawn() throws Exception {
    Document page = parsed(new StatusPage(status("dn1")).render());
    String text = page.getDocumentElement().getTextContent();
    assertThat(text)
        .contains("blocks5", "logical3.8 MiB", "take1.9 MiB", "ratio50.0 %", "saved1.9 MiB")
        .contains("/data/dn1975.6 KiB120.1 KiB0 B0 B")
        .contains("4711dn12.0 KiB2.0 KiB100.0 %")
        .contains("2 times a damaged block was found")
        .contains("its records are down: dn1")
        .contains("4 of 10")
        .contains("collection /data/dn1: container 7: dn1")
        .contains("DedupDbaMemoryBytes");
    NodeList paths = page.getElementsByTagName("path");
    String saved = "";
    for (int i = 0; i < paths.getLength(); i++) {
      String kind = paths.item(i).getAttributes().getNamedItem("class").getNodeValue();
      if (kind.equals("saved")) { // the last one; the legend comes before
        saved = paths.item(i).getAttributes().getNamedItem("d").getNodeValue();
      }
    }
    // Logical bytes from left to right, and stored ones back: the last logical one is the highest.
    assertThat(saved).isEqualTo("M80 145L395 100L710 10L710 100L395 145L80 150Z");
  }

  @Test
  void whatIsStoredAsDifferencesIsShownWhereThereAreSome() throws Exception {
    Map<String, Long> metrics =
        Map.of(
            "DedupChunksAsDifferences", 75L,
            "DedupChunksNew", 100L,
            "DedupBytesAsDifferences", 400L << 10,
            "DedupBytesOfDifferences", 20L << 10,
            "DedupBasesRead", 80L);
    Status some =
        new Status("dn1", metrics, List.of(), List.of(), Map.of(), List.of(), List.of(), Map.of());
    assertThat(parsed(new StatusPage(some).render()).getDocumentElement().getTextContent())
        .contains("75100400.0 KiB20.0 KiB5.0 %80");
    assertThat(new StatusPage(status("dn1")).render()).doesNotContain("as differences");
  }

  @Test
  void whatOthersWroteIsText() throws Exception {
    String page = new StatusPage(status(EVIL)).render();
    assertThat(page).doesNotContain("<script", "alert(\"").doesNotContain("style=", "onload");
    Document document = parsed(page);
    assertThat(document.getElementsByTagName("script").getLength()).isZero();
    assertThat(document.getElementsByTagName("h1").item(0).getTextContent())
        .isEqualTo("HDRF on " + EVIL);
  }

  @Test
  void allPlacesOfTheNavigationAreThere() throws Exception {
    String page = new StatusPage(status("dn1")).render();
    for (String id : List.of("attention", "savings", "work", "volumes", "filters", "damage")) {
      assertThat(page).contains("href=\"#" + id + "\"", "<section id=\"" + id + "\">");
    }
  }

  @Test
  void beforeTheFirstSumThereIsAPageToo() throws Exception {
    Status empty =
        new Status("dn1", Map.of(), List.of(), List.of(), Map.of(), List.of(), List.of(), Map.of());
    assertThat(parsed(new StatusPage(empty).render()).getDocumentElement().getTextContent())
        .contains("Nothing.", "ten minutes after the start", "No job");
  }
}
