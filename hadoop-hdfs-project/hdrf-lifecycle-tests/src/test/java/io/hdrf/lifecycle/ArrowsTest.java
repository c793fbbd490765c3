/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.lifecycle;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The allowed dependencies between packages: see the packages in docs/architecture.md. Only HDRF's
 * own packages, and those of HDFS, are checked; any may use the JDK, hadoop-common and its
 * libraries.
 */
class ArrowsTest {

  private static final Path SOURCE = Path.of(System.getProperty("hdrf.test.source"));

  /** The packages that schemes and stores may link to. */
  private static final String SPI = " io.hdrf.spi.. io.hdrf.jni";

  private static final String CORE =
      SPI
          + " io.hdrf.admin io.hdrf.block io.hdrf.conf io.hdrf.html io.hdrf.io io.hdrf.metadata"
          + " io.hdrf.plugin io.hdrf.read io.hdrf.reduce io.hdrf.scheme io.hdrf.volume"
          + " io.hdrf.wire..";

  private static final String OF_HDRF_OR_HDFS = "io.hdrf.. org.apache.hadoop.hdfs..";

  @ParameterizedTest
  @CsvSource({
    "hdrf-codecs/lz4, io.hdrf.codec.lz4",
    "hdrf-codecs/zstd, io.hdrf.codec.zstd",
    "hdrf-codecs/shuffle, io.hdrf.codec.shuffle",
    "hdrf-codecs/hadoop-codec, io.hdrf.codec.hadoop",
    "hdrf-codecs/dedup, io.hdrf.codec.dedup..",
    "hdrf-metadata/embedded, io.hdrf.store.embedded",
    "hdrf-metadata/redis, io.hdrf.store.redis",
  })
  void schemesAndStoresSeeTheSpiAlone(String module, String own) {
    onlyUse(classesOf(module), own + SPI);
  }

  @ParameterizedTest
  @CsvSource({
    "native, io.hdrf.jni,",
    "hdrf-core, io.hdrf.spi,",
    "hdrf-core, io.hdrf.html,",
    "hdrf-core, io.hdrf.spi.memory,",
    "hdrf-core, io.hdrf.spi.io, io.hdrf.jni io.hdrf.spi.memory",
    "hdrf-core, io.hdrf.spi.thread, io.hdrf.jni",
    "hdrf-core, io.hdrf.spi.store, io.hdrf.spi",
    "hdrf-core, io.hdrf.spi.scheme, io.hdrf.spi io.hdrf.spi.io io.hdrf.spi.memory"
        + " io.hdrf.spi.store",
    "hdrf-core, io.hdrf.io, io.hdrf.spi.io",
    "hdrf-core, io.hdrf.block, io.hdrf.spi.. io.hdrf.scheme io.hdrf.jni",
    "hdrf-core, io.hdrf.volume, io.hdrf.spi.io io.hdrf.block io.hdrf.jni",
    "hdrf-core, io.hdrf.wire, io.hdrf.spi.. io.hdrf.block io.hdrf.jni io.hdrf.reduce"
        + " io.hdrf.scheme",
    "hdrf-core, io.hdrf.read, io.hdrf.spi.. io.hdrf.block io.hdrf.jni io.hdrf.scheme",
    "hdrf-core, io.hdrf.reduce, io.hdrf.spi.. io.hdrf.block io.hdrf.conf io.hdrf.scheme",
  })
  void arrowsOfTheCoreGoOneWay(String module, String of, String used) {
    JavaClasses all = classesOf(module);
    classes()
        .that()
        .resideInAPackage(of)
        .should()
        .onlyDependOnClassesThat(mayBeUsed(of + " " + (used == null ? "" : used)))
        .check(all);
  }

  @ParameterizedTest
  @CsvSource({
    "page,",
    "mirror.query,",
    "mirror, mirror.query",
    "volume, mirror",
    "replica, volume",
    "read, mirror volume",
    "job, replica volume",
  })
  void arrowsOfTheOverlayGoOneWay(String of, String used) {
    oneWay("hadoop-hdfs-project/hadoop-hdfs-hdrf", "io.hdrf.datanode.", of, used);
  }

  @ParameterizedTest
  @CsvSource({
    "container.format,",
    "container, container.format",
    "dba,",
    "index, container container.format dba",
    "heal, container container.format index",
    "delta, container.format",
    "gc, container container.format heal index",
    "scrub, container",
  })
  void arrowsOfDedupGoOneWay(String of, String used) {
    oneWay("hdrf-codecs/dedup", "io.hdrf.codec.dedup.", of, used);
  }

  /** Of the packages below {@code parent}, {@code of} may use those in {@code used} alone. */
  private static void oneWay(String module, String parent, String of, String used) {
    List<String> allowed = new ArrayList<>(List.of(parent + of));
    if (used != null) {
      for (String name : Arrays.asList(used.split(" +"))) {
        allowed.add(parent + name);
      }
    }
    classes()
        .that()
        .resideInAPackage(parent + of)
        .should()
        .onlyDependOnClassesThat(
            not(resideInAPackage(parent + "."))
                .or(resideInAnyPackage(allowed.toArray(String[]::new))))
        .check(classesOf(module));
  }

  @Test
  void theCoreNeverSeesTheDataNode() {
    onlyUse(classesOf("hdrf-core"), CORE);
  }

  @Test
  void theOverlayNeverSeesASchemeOrAStore() {
    onlyUse(
        classesOf("hadoop-hdfs-project/hadoop-hdfs-hdrf"),
        CORE + " io.hdrf.datanode.. org.apache.hadoop.hdfs..");
  }

  /** Of HDFS it sees the client alone: no class of the DataNode is there. */
  @Test
  void theClientNeverSeesTheOverlay() {
    onlyUse(
        classesOf("hadoop-hdfs-project/hdrf-client"),
        CORE
            + " io.hdrf.client org.apache.hadoop.hdfs org.apache.hadoop.hdfs.protocol.."
            + " org.apache.hadoop.hdfs.protocolPB org.apache.hadoop.hdfs.security.token.block"
            + " org.apache.hadoop.hdfs.server.datanode org.apache.hadoop.hdfs.shortcircuit");
  }

  private static JavaClasses classesOf(String module) {
    JavaClasses all =
        new ClassFileImporter().importPath(SOURCE.resolve(module).resolve("target/classes"));
    assertThat(all).isNotEmpty();
    return all;
  }

  private static void onlyUse(JavaClasses all, String packages) {
    classes().should().onlyDependOnClassesThat(mayBeUsed(packages)).check(all);
  }

  private static DescribedPredicate<JavaClass> mayBeUsed(String packages) {
    return not(resideInAnyPackage(OF_HDRF_OR_HDFS.split(" ")))
        .or(resideInAnyPackage(packages.trim().split(" +")));
  }
}
