/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.admin;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hdrf.metadata.BlockRecord;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.ipc.ProtocolInfo;
import org.junit.jupiter.api.Test;

/**
 * The administrators' protocol of version 1: each call and an answer to it, as they are sent. A
 * command must be able to talk to a DataNode of another build of the same version. Lines of the
 * file: name of the call, the call, the answer.
 */
class GoldenCallsTest {

  private static final String CALLS = "calls-v1.golden";

  /** Calls of builds before the one that wrote the rest; they were removed. */
  private static final List<String> GONE =
      List.of("check", "reclaim", "checkReferences", "reducedBlocks", "storeBytes", "rebuild");

  private static final CallFormat FORMAT = new CallFormat(HdrfAdminProtocol.class);

  private record Exchange(Object[] arguments, Object answer) {}

  private static Map<String, Exchange> exchanges() {
    String volume = new VolumeInfo("DS-1", "BP-1", "/data/1", "embedded", "in step", 5).encode();
    Map<Long, byte[]> page = new LinkedHashMap<>();
    page.put(-5L, null);
    page.put(
        0x40000001L,
        BlockRecord.reduced(1 << 20, 1 << 18, new int[] {3, 2}, 1_600_000_000_123L, 0x0102)
            .encode());
    Map<String, Exchange> all = new LinkedHashMap<>();
    all.put("volumes", new Exchange(null, new String[] {volume}));
    all.put(
        "records",
        new Exchange(new Object[] {"DS-1", "BP-1", Long.MIN_VALUE, 100}, RecordPage.encode(page)));
    all.put("block", new Exchange(new Object[] {0x40000001L}, new String[] {"one", "two"}));
    all.put("schemeStores", new Exchange(null, new String[] {volume}));
    all.put("startJob", new Exchange(new Object[] {"verify", 52_428_800L, 0.1}, null));
    all.put("stopJob", new Exchange(new Object[] {"convert"}, null));
    all.put("jobs", new Exchange(new Object[] {"inflate"}, new String[] {}));
    all.put(
        "replicas",
        new Exchange(
            new Object[] {"BP-1", BlockIds.encode(new long[] {-5, 0x40000001L}, 2)},
            RecordPage.encode(page)));
    all.put(
        "metrics",
        new Exchange(null, new String[] {"MetadataStoresDown\t0", "BlocksReduced-lz4\t7"}));
    all.put("startTask", new Exchange(new Object[] {"check", "DS-1", "BP-1"}, "7"));
    all.put("task", new Exchange(new Object[] {"7"}, new String[] {"done", "3", "0"}));
    return all;
  }

  private static Method method(String name) {
    return Arrays.stream(HdrfAdminProtocol.class.getMethods())
        .filter(method -> method.getName().equals(name))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no call " + name));
  }

  private static Map<String, String[]> read() throws IOException {
    Map<String, String[]> lines = new LinkedHashMap<>();
    try (var in = GoldenCallsTest.class.getResourceAsStream(CALLS)) {
      new String(in.readAllBytes(), US_ASCII)
          .lines()
          .map(line -> line.split(" ", -1))
          .forEach(fields -> lines.put(fields[0], fields));
    }
    return lines;
  }

  private static byte[] bytes(String hex) {
    return HexFormat.of().parseHex(hex);
  }

  private static String line(String name, Exchange exchange) throws IOException {
    HexFormat hex = HexFormat.of();
    Method method = method(name);
    return String.join(
        " ",
        name,
        hex.formatHex(FORMAT.encodeCall(method, exchange.arguments())),
        hex.formatHex(FORMAT.encodeResult(method, exchange.answer())));
  }

  @Test
  void oldCallsAndAnswersStayReadable() throws IOException {
    Map<String, String[]> lines = read();
    for (Map.Entry<String, Exchange> each : exchanges().entrySet()) {
      String[] line = lines.get(each.getKey());
      Exchange expected = each.getValue();
      CallFormat.Call call = FORMAT.decodeCall(bytes(line[1]));
      assertThat(call.method().getName()).isEqualTo(each.getKey());
      assertThat(call.arguments())
          .isEqualTo(expected.arguments() == null ? new Object[0] : expected.arguments());
      assertThat(FORMAT.decodeResult(call.method(), bytes(line[2]))).isEqualTo(expected.answer());
    }
    VolumeInfo volume =
        VolumeInfo.decode(
            ((String[]) FORMAT.decodeResult(method("volumes"), bytes(lines.get("volumes")[2])))[0]);
    assertThat(volume.store()).isEqualTo("embedded");
    assertThat(volume.pending()).isEqualTo(5);
    RecordPage page =
        RecordPage.decode(
            (byte[]) FORMAT.decodeResult(method("records"), bytes(lines.get("records")[2])));
    assertThat(page.records()).containsOnlyKeys(-5L, 0x40000001L).containsEntry(-5L, null);
    assertThat(page.records().get(0x40000001L).chain()).containsExactly(3, 2);
  }

  @Test
  void theSameIsWrittenToday() throws IOException {
    Map<String, String[]> lines = read();
    for (Map.Entry<String, Exchange> each : exchanges().entrySet()) {
      assertThat(line(each.getKey(), each.getValue()))
          .isEqualTo(String.join(" ", lines.get(each.getKey())));
    }
  }

  /** A call that is missing here has no golden bytes yet: add it. */
  @Test
  void everyCallIsHere() throws IOException {
    assertThat(Arrays.stream(HdrfAdminProtocol.class.getMethods()).map(Method::getName))
        .containsExactlyInAnyOrderElementsOf(exchanges().keySet());
    assertThat(HdrfAdminProtocol.class.getAnnotation(ProtocolInfo.class).protocolName())
        .isEqualTo("io.hdrf.admin.HdrfAdminProtocol");
    assertThat(HdrfAdminProtocol.class.getAnnotation(ProtocolInfo.class).protocolVersion())
        .isEqualTo(1);
  }

  /** An earlier command gets an error that says what to do, and nothing is done. */
  @Test
  void callsThatAreGoneAreRefusedByName() throws IOException {
    Map<String, String[]> lines = read();
    for (String name : GONE) {
      assertThatThrownBy(() -> FORMAT.decodeCall(bytes(lines.get(name)[1])))
          .isInstanceOf(IOException.class)
          .hasMessage(
              "This version of HDRF knows no call "
                  + name
                  + ": the command and the DataNode have to be of one version");
    }
  }

  /** The specification of {@link CallFormat}, followed by hand. */
  @Test
  void byteByByte() throws IOException {
    Map<String, String[]> lines = read();
    HexFormat hex = HexFormat.of();
    assertThat(lines.get("stopJob")[1])
        .isEqualTo(
            ("01" + "00000007" + hex.formatHex("stopJob".getBytes(US_ASCII)))
                + ("00000007" + hex.formatHex("convert".getBytes(US_ASCII))));
    assertThat(lines.get("block")[2])
        .isEqualTo(
            ("00000002" + "00000003" + hex.formatHex("one".getBytes(US_ASCII)))
                + ("00000003" + hex.formatHex("two".getBytes(US_ASCII))));
    assertThat(lines.get("stopJob")[2]).isEmpty();
  }

  /** Writes the calls that are known; only a new one gives a reason. */
  public static void main(String[] args) throws IOException {
    StringBuilder text = new StringBuilder();
    for (Map.Entry<String, Exchange> each : exchanges().entrySet()) {
      text.append(line(each.getKey(), each.getValue())).append('\n');
    }
    Files.writeString(Path.of(args[0]).resolve(CALLS), text);
  }
}
