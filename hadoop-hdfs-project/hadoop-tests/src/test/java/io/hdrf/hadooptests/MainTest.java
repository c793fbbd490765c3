/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.hadooptests;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MainTest {
  @TempDir Path root;

  private Path stock;
  private Path hdrf;
  private Path baseline;
  private Path list;
  private Path classes;

  @BeforeEach
  void lists() throws IOException {
    stock = root.resolve("run-stock");
    hdrf = root.resolve("run-hdrf");
    baseline = root.resolve("baseline.tsv");
    list =
        write(
            root.resolve("classes.tsv"),
            "class\tsize\tfrom\norg.a.TestA\tquick\t\norg.b.TestB\tfull\t\norg.c.TestA\tquick\t3.4\n");
    classes = root.resolve("classes");
    for (String file :
        new String[] {"a/TestA", "b/TestB", "b/TestB$Inner", "b/TestBase", "c/TestA"}) {
      write(classes.resolve("org/" + file + ".class"), "");
    }
  }

  @Test
  void selectsFromTheListOrByName() throws IOException {
    assertThat(select("all")).containsExactly("org/a/TestA.class", "org/b/TestB.class");
    assertThat(select("quick")).containsExactly("org/a/TestA.class");
    assertThat(select("all", "TestB")).containsExactly("org/b/TestB.class");
    assertThat(select("all", "org.c.TestA")).containsExactly("org/c/TestA.class");
    assertThat(select("all", "TestA")).containsExactly("org/a/TestA.class", "org/c/TestA.class");
    assertThat(select("all", "TestB*", "TestB"))
        .containsExactly("org/b/TestB.class", "org/b/TestBase.class");
    assertThatThrownBy(() -> select("all", "TestZ")).hasMessageContaining("TestZ");
  }

  @Test
  void aClassOfALaterLineIsNotForEarlierOnes() throws IOException {
    assertThat(selectOn("3.1.4", "quick")).doesNotContain("org/c/TestA.class");
    assertThat(selectOn("3.4.0", "quick")).contains("org/c/TestA.class", "org/a/TestA.class");
    assertThat(selectOn("3.10.1", "all")).contains("org/c/TestA.class", "org/b/TestB.class");
    assertThat(selectOn("3.1.4", "all", "org.c.TestA")).containsExactly("org/c/TestA.class");
  }

  @Test
  void recordsWhatFailsTwiceAndComparesWithIt() throws IOException {
    select("all");
    copySelection(stock);
    report(stock, "org.a.TestA", "ok", "steady", "flaky");
    report(stock, "org.b.TestB", "ok");
    assertThat(step("again", stock)).isEqualTo("1\n");
    report(stock.resolve("again"), "org.a.TestA", "ok", "steady");
    step("record", stock, baseline);
    assertThat(OutcomeTable.read(baseline).get("org.a.TestA").failed()).containsExactly("steady");
    assertThat(OutcomeTable.read(baseline).get("org.b.TestB").passed()).isEqualTo(1);

    report(hdrf, "org.a.TestA", "ok", "steady");
    CounterFiles.write(
        hdrf.resolve("counters"), "org.a.TestA", Map.of("datasets", 1L, "blocksReduced", 4L));
    assertThat(step("missing", hdrf, stock, baseline)).isEqualTo("0\n");
    assertThat(step("again", hdrf, baseline)).isEqualTo("1\n");
    assertThat(ClassList.read(hdrf.resolve("again/includes.txt"))).containsExactly("org.b.TestB");

    Path markdown = root.resolve("table.md");
    PrintStream nowhere = new PrintStream(new ByteArrayOutputStream(), true, UTF_8);
    String[] compare = {"compare", hdrf.toString(), markdown.toString(), baseline.toString()};
    assertThat(Main.run(compare, nowhere)).isEqualTo(1);
    assertThat(Files.readString(markdown)).contains("did not finish", "WORSE: 1");

    report(hdrf.resolve("again"), "org.b.TestB", "ok");
    CounterFiles.write(hdrf.resolve("again/counters"), "org.b.TestB", Map.of("blocksReduced", 2L));
    assertThat(Main.run(compare, nowhere)).isEqualTo(0);
    assertThat(Files.readString(markdown)).contains("same: 2", "second run", "blocks reduced: 6");
  }

  @Test
  void aRunWithoutHdrfInADataNodeShowsNothing() throws IOException {
    select("quick");
    copySelection(stock);
    report(stock, "org.a.TestA", "ok");
    step("record", stock, baseline);
    report(hdrf, "org.a.TestA", "ok");
    Path markdown = root.resolve("table.md");
    assertThatThrownBy(() -> step("compare", hdrf, markdown, baseline))
        .hasMessageContaining("HDRF was in no DataNode");
    CounterFiles.write(hdrf.resolve("counters"), "org.a.TestA", Map.of("datasets", 0L));
    assertThatThrownBy(() -> step("compare", hdrf, markdown, baseline))
        .hasMessageContaining("HDRF was in no DataNode");
    CounterFiles.write(hdrf.resolve("counters"), "org.a.TestA", Map.of("datasets", 3L));
    assertThat(step("compare", hdrf, markdown, baseline)).contains("not exercised: 1");
  }

  @Test
  void missingAreTheClassesThatTheBaselineLacks() throws IOException {
    select("quick");
    copySelection(stock);
    report(stock, "org.a.TestA", "ok");
    step("record", stock, baseline);
    select("all");
    assertThat(step("missing", hdrf, stock, baseline)).isEqualTo("1\n");
    assertThat(ClassList.read(stock.resolve("includes.txt"))).containsExactly("org.b.TestB");
    assertThatThrownBy(() -> step("compare", hdrf, baseline, baseline))
        .hasMessageContaining("org.b.TestB");
  }

  @Test
  void readsTheTotalsOfAClassByName() {
    assertThat(CounterListener.totals(Totals.class.getName())).containsEntry("blocksReduced", 3L);
    assertThat(CounterListener.totals("org.example.Absent")).isEmpty();
  }

  /** Stands in for the class with HDRF's counters. */
  public static final class Totals {
    private Totals() {}

    /** Read by its name. */
    public static Map<String, Long> jvmTotals() {
      return Map.of("blocksReduced", 3L);
    }
  }

  private Iterable<String> select(String size, String... names) throws IOException {
    return selectOn("3.3.6", size, names);
  }

  private Iterable<String> selectOn(String version, String size, String... names)
      throws IOException {
    String[] args = new String[6 + names.length];
    args[0] = "select";
    args[1] = hdrf.toString();
    args[2] = list.toString();
    args[3] = classes.toString();
    args[4] = version;
    args[5] = size;
    System.arraycopy(names, 0, args, 6, names.length);
    Main.run(args, new PrintStream(new ByteArrayOutputStream(), true, UTF_8));
    return Files.readAllLines(hdrf.resolve("includes.txt"));
  }

  private void copySelection(Path run) throws IOException {
    ClassList.write(run.resolve("includes.txt"), ClassList.read(hdrf.resolve("includes.txt")));
  }

  private static String step(String name, Path... paths) throws IOException {
    String[] args = new String[1 + paths.length];
    args[0] = name;
    for (int i = 0; i < paths.length; i++) {
      args[i + 1] = paths[i].toString();
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Main.run(args, new PrintStream(out, true, UTF_8));
    return out.toString(UTF_8);
  }

  /** Writes a report of three tests at most: those that aren't "ok" failed. */
  private static void report(Path run, String testClass, String... tests) throws IOException {
    StringBuilder text = new StringBuilder("<testsuite time=\"1,234.5\">");
    for (String test : tests) {
      text.append("<testcase name=\"").append(test).append("\">");
      text.append(test.equals("ok") ? "" : "<failure message=\"no\"/>").append("</testcase>");
    }
    write(
        run.resolve("reports/TEST-" + testClass + ".xml"), text.append("</testsuite>").toString());
  }

  private static Path write(Path file, String text) throws IOException {
    Files.createDirectories(file.getParent());
    return Files.writeString(file, text);
  }
}
