/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.lifecycle;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Finds classes that the jars of a distribution name and that are missing when it is used: for the
 * DataNode's jars with those of Hadoop, for the command's with those of Hadoop, and for each
 * plug-in with the class loader that HDRF itself gives it.
 */
final class PackedClasses {

  private static final List<String> SERVICES =
      List.of("io.hdrf.spi.scheme.ReductionScheme", "io.hdrf.spi.store.MetadataStoreProvider");

  /** Jedis works without these, and without its own classes that need them. */
  private static final Pattern JEDIS = Pattern.compile("redis/clients/jedis/.*");

  private static final Pattern OPTIONAL_FOR_JEDIS =
      Pattern.compile(
          "(com/google/gson|io/github/resilience4j|org/apache/commons/pool2|org/json"
              + "|redis/clients/jedis)/.*");

  /** Kinds of constants, which a class file stores before each constant. */
  private static final int UTF8 = 1;

  private static final int LONG = 5;
  private static final int DOUBLE = 6;
  private static final int CLASS = 7;
  private static final int STRING = 8;
  private static final int METHOD_HANDLE = 15;
  private static final int METHOD_TYPE = 16;
  private static final int MODULE = 19;
  private static final int PACKAGE = 20;

  private static final Pattern ARRAY = Pattern.compile("\\[+(?:L(.*);|[A-Z])");

  private final Path distribution;
  private final List<Path> hadoop;
  private final Set<String> missing = new TreeSet<>();

  /**
   * @param distribution an unpacked distribution
   */
  PackedClasses(Path distribution, List<Path> hadoop) {
    this.distribution = distribution;
    this.hadoop = hadoop;
  }

  /** Returns the missing classes, each with one that names it; sorted. */
  Set<String> missing() throws IOException, ReflectiveOperationException {
    try (URLClassLoader command = loader(jars("lib"));
        URLClassLoader dataNode = loader(jars("datanode"))) {
      for (Path jar : jars("lib")) {
        look(jar, command);
      }
      for (Path jar : jars("datanode")) {
        look(jar, dataNode);
      }
      Map<Path, ClassLoader> plugIns = plugIns(dataNode);
      for (Path jar : jars("plugins")) {
        ClassLoader loader = plugIns.get(jar.toRealPath());
        if (loader == null) {
          missing.add("a plug-in in " + jar);
        } else {
          look(jar, loader);
        }
      }
    }
    return missing;
  }

  private List<Path> jars(String part) throws IOException {
    try (Stream<Path> files = Files.list(distribution.resolve(part))) {
      return files.filter(file -> file.toString().endsWith(".jar")).sorted().toList();
    }
  }

  /** Returns a loader of these jars, Hadoop's and the JDK, and nothing of the tests. */
  private URLClassLoader loader(List<Path> jars) {
    URL[] urls =
        Stream.concat(jars.stream(), hadoop.stream()).map(PackedClasses::url).toArray(URL[]::new);
    return new URLClassLoader(urls, ClassLoader.getPlatformClassLoader());
  }

  private static URL url(Path jar) {
    try {
      return jar.toUri().toURL();
    } catch (MalformedURLException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the class loaders that the plug-ins have in a DataNode, by jar. */
  private Map<Path, ClassLoader> plugIns(ClassLoader dataNode)
      throws IOException, ReflectiveOperationException {
    Map<Path, ClassLoader> loaders = new HashMap<>();
    for (String service : SERVICES) {
      Map<?, ?> providers =
          (Map<?, ?>)
              dataNode
                  .loadClass("io.hdrf.plugin.PluginLoader")
                  .getMethod("load", Path.class, Class.class)
                  .invoke(null, distribution.resolve("plugins"), dataNode.loadClass(service));
      for (Object provider : providers.keySet()) {
        ClassLoader loader = provider.getClass().getClassLoader();
        String jar = ((URLClassLoader) loader).getURLs()[0].getPath();
        loaders.put(Path.of(jar).toRealPath(), loader);
      }
    }
    return loaders;
  }

  private void look(Path jar, ClassLoader loader) throws IOException {
    Map<String, String> named = new HashMap<>();
    try (JarFile file = new JarFile(jar.toFile())) {
      for (JarEntry entry : (Iterable<JarEntry>) file.stream()::iterator) {
        String name = entry.getName();
        // Skips variants for later versions of Java.
        if (name.endsWith(".class")
            && !name.startsWith("META-INF/")
            && !name.equals("module-info.class")) {
          try (InputStream in = file.getInputStream(entry)) {
            for (String other : namedIn(new DataInputStream(in))) {
              if (!isOptional(name, other)) {
                named.putIfAbsent(other, name);
              }
            }
          }
        }
      }
    }
    named.forEach(
        (name, by) -> {
          if (!isThere(name, loader)) {
            missing.add(name + ", named by " + by + " in " + jar.getFileName());
          }
        });
  }

  private static boolean isThere(String name, ClassLoader loader) {
    try {
      loader.loadClass(name.replace('/', '.'));
      return true;
    } catch (ClassNotFoundException | LinkageError e) {
      return false;
    }
  }

  private static boolean isOptional(String by, String name) {
    return JEDIS.matcher(by).matches() && OPTIONAL_FOR_JEDIS.matcher(name).matches();
  }

  /** Returns the classes in a class file's constants, with slashes. */
  private static List<String> namedIn(DataInputStream in) throws IOException {
    in.readInt();
    in.readInt();
    int count = in.readUnsignedShort();
    String[] texts = new String[count];
    List<Integer> classes = new ArrayList<>();
    for (int i = 1; i < count; i++) {
      int kind = in.readUnsignedByte();
      switch (kind) {
        case UTF8 -> texts[i] = in.readUTF();
        case CLASS -> classes.add(in.readUnsignedShort());
        case STRING, METHOD_TYPE, MODULE, PACKAGE -> in.readUnsignedShort();
        case METHOD_HANDLE -> in.skipNBytes(3);
        case LONG, DOUBLE -> {
          in.readLong();
          // This constant takes two indices.
          i++;
        }
        default -> in.readInt();
      }
    }
    return classes.stream()
        .map(index -> ARRAY.matcher(texts[index]).replaceFirst("$1"))
        .filter(name -> !name.isEmpty())
        .toList();
  }
}
