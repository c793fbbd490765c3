/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Code in which data or security can be lost, so that its tests are themselves tested by mutation.
 *
 * @param name the package, as {@code hdrf test --mutation} takes it
 * @param module its Maven module's directory
 * @param classes PIT's globs of what is mutated
 * @param tests PIT's glob of the tests that are to notice it
 */
record MutatedCode(String name, String module, List<String> classes, String tests) {

  private static final String CORE = "hdrf-core";
  private static final String DEDUP = "hdrf-codecs/dedup";
  private static final String OVERLAY = "hadoop-hdfs-project/hadoop-hdfs-hdrf";

  /** All of it, in the order in which it is measured. */
  static final List<MutatedCode> ALL =
      List.of(
          whole("io.hdrf.block", CORE, "io.hdrf.block.*"),
          whole("io.hdrf.reduce", CORE, "io.hdrf.reduce.*"),
          whole("io.hdrf.volume", CORE, "io.hdrf.volume.*"),
          whole("io.hdrf.wire", CORE, "io.hdrf.wire.*"),
          whole("io.hdrf.codec.dedup.container", DEDUP, "io.hdrf.codec.dedup.*"),
          whole("io.hdrf.codec.dedup.gc", DEDUP, "io.hdrf.codec.dedup.*"),
          whole("io.hdrf.codec.dedup.index", DEDUP, "io.hdrf.codec.dedup.index.*"),
          // The swap of a replica's file, and how a replica is opened.
          some(
              "io.hdrf.datanode.replica",
              "BlockLocks",
              "BlockOpener",
              "FinalizedPlainBlock",
              "Inflater",
              "PlainBlockScan",
              "PlainHolds",
              "ReplicaFiles",
              "ReplicaSnapshot",
              "SettledBlocks"),
          some("io.hdrf.datanode.volume", "PlainProof"),
          some(
              "io.hdrf.datanode.read",
              "DecodeAhead",
              "DecodedBlockChannel",
              "DecodedBlockInputStream",
              "FrameCache",
              "FrameReader",
              "FrameSlot",
              "ReducedReads"));

  private static MutatedCode whole(String name, String module, String tests) {
    return new MutatedCode(name, module, List.of(name + ".*"), tests);
  }

  /** Of the overlay; with the classes nested in them. */
  private static MutatedCode some(String name, String... classes) {
    List<String> globs = new ArrayList<>();
    for (String simple : classes) {
      globs.add(name + '.' + simple);
      globs.add(name + '.' + simple + "$*");
    }
    return new MutatedCode(name, OVERLAY, List.copyOf(globs), "io.hdrf.datanode.*");
  }

  /** Where it comes in {@link #ALL}. */
  static Comparator<String> order() {
    return Comparator.comparingInt(
        name -> ALL.stream().map(MutatedCode::name).toList().indexOf(name));
  }

  /** What measures it. */
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

  /** Reads its name; nothing, for all. */
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
