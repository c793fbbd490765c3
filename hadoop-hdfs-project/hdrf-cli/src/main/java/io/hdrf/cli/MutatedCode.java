/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Code that protects data or security, so that mutation tests its tests.
 *
 * @param name the package, as {@code hdrf test --mutation} takes it
 * @param module its Maven module's directory
 * @param classes PIT's globs of the classes to mutate
 * @param tests PIT's glob of the tests that must detect the mutants
 */
record MutatedCode(String name, String module, List<String> classes, String tests) {

  private static final String CORE = "hdrf-core";
  private static final String DEDUP = "hdrf-codecs/dedup";
  private static final String OVERLAY = "hadoop-hdfs-project/hadoop-hdfs-hdrf";

  /** All such code, in the order of measurement. */
  static final List<MutatedCode> ALL =
      List.of(
          whole("io.hdrf.block", CORE, "io.hdrf.block.*"),
          whole("io.hdrf.read", CORE, "io.hdrf.read.*"),
          whole("io.hdrf.reduce", CORE, "io.hdrf.reduce.*"),
          whole("io.hdrf.volume", CORE, "io.hdrf.volume.*"),
          whole("io.hdrf.wire", CORE, "io.hdrf.wire.*"),
          whole("io.hdrf.codec.dedup.container", DEDUP, "io.hdrf.codec.dedup.*"),
          whole("io.hdrf.codec.dedup.delta", DEDUP, "io.hdrf.codec.dedup.delta.*"),
          whole("io.hdrf.codec.dedup.gc", DEDUP, "io.hdrf.codec.dedup.*"),
          whole("io.hdrf.codec.dedup.index", DEDUP, "io.hdrf.codec.dedup.index.*"),
          // The swap of a replica's file, and the opening of a replica.
          some(
              "io.hdrf.datanode.replica",
              "BlockLocks",
              "BlockOpener",
              "FinalizedPlainBlock",
              "Inflater",
              "PlainBlockScan",
              "ReplicaSnapshot",
              "Replicas",
              "SettledBlocks",
              "SettledReplicas"),
          some("io.hdrf.datanode.volume", "PlainProof"),
          some(
              "io.hdrf.datanode.read",
              "DecodedBlockChannel",
              "DecodedBlockInputStream",
              "ReducedReads"));

  private static MutatedCode whole(String name, String module, String tests) {
    return new MutatedCode(name, module, List.of(name + ".*"), tests);
  }

  /** Returns classes of the overlay, with the classes nested in them. */
  private static MutatedCode some(String name, String... classes) {
    List<String> globs = new ArrayList<>();
    for (String simple : classes) {
      globs.add(name + '.' + simple);
      globs.add(name + '.' + simple + "$*");
    }
    return new MutatedCode(name, OVERLAY, List.copyOf(globs), "io.hdrf.datanode.*");
  }

  /** Orders names as in {@link #ALL}. */
  static Comparator<String> order() {
    return Comparator.comparingInt(
        name -> ALL.stream().map(MutatedCode::name).toList().indexOf(name));
  }

  /** Returns the command that measures it. */
  List<String> command() {
    return List.of(
        "mvn",
        "-B",
        "-ntp",
        "-Pmutation",
        "-pl",
        module,
        "-am",
        "-DskipTests",
        "package",
        "-DtargetTests=" + tests,
        "-DtargetClasses=" + String.join(",", classes));
  }

  /** Converts its name; {@code null} stands for all. */
  static final class Converter implements ITypeConverter<MutatedCode> {
    @Override
    public MutatedCode convert(String value) {
      if (value.isEmpty()) {
        return null;
      }
      return ALL.stream()
          .filter(code -> code.name.equals(value))
          .findFirst()
          .orElseThrow(
              () ->
                  new TypeConversionException(
                      "\""
                          + value
                          + "\" is not one of "
                          + ALL.stream().map(MutatedCode::name).toList()));
    }
  }
}
