/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.scheme;

import io.hdrf.spi.scheme.ReductionScheme;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarInputStream;
import java.util.jar.JarOutputStream;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.apache.hadoop.conf.Configuration;

/**
 * Makes plug-in jars for tests, from classes of the running JVM, from other jars, and from source
 * that is compiled against the SPI and those other jars alone.
 */
public final class PluginJarBuilder {

  private static final String SERVICE = "META-INF/services/" + ReductionScheme.class.getName();

  private final Map<String, byte[]> entries = new TreeMap<>();
  private final Map<String, String> sources = new LinkedHashMap<>();
  private final Set<String> stubs = new LinkedHashSet<>();
  private final List<byte[]> libraries = new ArrayList<>();
  private final List<String> services = new ArrayList<>();

  /** Adds a class with its nested classes and its package's other classes. */
  public PluginJarBuilder packageOf(Class<?> type) throws IOException {
    String folder = type.getPackageName().replace('.', '/') + "/";
    Path origin = origin(type);
    if (Files.isDirectory(origin)) {
      try (Stream<Path> files = Files.list(origin.resolve(folder))) {
        for (Path file : files.filter(f -> f.toString().endsWith(".class")).toList()) {
          entries.put(folder + file.getFileName(), Files.readAllBytes(file));
        }
      }
    } else {
      try (JarFile jar = new JarFile(origin.toFile())) {
        for (JarEntry entry : jar.stream().toList()) {
          String name = entry.getName();
          if (name.endsWith(".class")
              && name.lastIndexOf('/') == folder.length() - 1
              && name.startsWith(folder)) {
            try (InputStream in = jar.getInputStream(entry)) {
              entries.put(name, in.readAllBytes());
            }
          }
        }
      }
    }
    return this;
  }

  /** Adds what another jar contains; it is on the compiler's class path too. */
  public PluginJarBuilder library(InputStream jar) throws IOException {
    byte[] bytes = jar.readAllBytes();
    libraries.add(bytes);
    try (JarInputStream in = new JarInputStream(new java.io.ByteArrayInputStream(bytes))) {
      for (JarEntry entry = in.getNextJarEntry(); entry != null; entry = in.getNextJarEntry()) {
        if (!entry.isDirectory()) {
          entries.put(entry.getName(), in.readAllBytes());
        }
      }
    }
    return this;
  }

  /** Adds a class as source. */
  public PluginJarBuilder source(String className, String source) {
    sources.put(className, source);
    return this;
  }

  /** Adds a class that the others are compiled against, but that is not in the jar. */
  public PluginJarBuilder stub(String className, String source) {
    stubs.add(className.replace('.', '/') + ".class");
    return source(className, source);
  }

  /** Names a class in the service file. */
  public PluginJarBuilder scheme(String className) {
    services.add(className);
    return this;
  }

  /** Adds a file. */
  public PluginJarBuilder file(String name, String content) {
    entries.put(name, content.getBytes(StandardCharsets.UTF_8));
    return this;
  }

  /** Writes the jar; replaces one that is there. */
  public Path write(Path jar) throws IOException {
    if (!services.isEmpty()) {
      file(SERVICE, String.join("\n", services) + "\n");
    }
    compile();
    Path temporary = jar.resolveSibling(jar.getFileName() + ".tmp");
    try (OutputStream file = Files.newOutputStream(temporary);
        JarOutputStream out = new JarOutputStream(file)) {
      for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
        out.putNextEntry(new JarEntry(entry.getKey()));
        out.write(entry.getValue());
      }
    }
    return Files.move(temporary, jar, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
  }

  private void compile() throws IOException {
    if (sources.isEmpty()) {
      return;
    }
    Path work = Files.createTempDirectory("plugin");
    try {
      List<Path> classPath = new ArrayList<>();
      for (byte[] library : libraries) {
        classPath.add(Files.write(work.resolve("library" + classPath.size() + ".jar"), library));
      }
      classPath.add(origin(ReductionScheme.class));
      classPath.add(origin(Configuration.class));
      Path classes = Files.createDirectory(work.resolve("classes"));
      compile(classPath, classes);
      addClasses(classes);
    } finally {
      org.apache.hadoop.fs.FileUtil.fullyDelete(work.toFile());
    }
  }

  private void compile(List<Path> classPath, Path classes) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    List<String> options =
        List.of(
            "--release",
            "8",
            "-proc:none",
            "-d",
            classes.toString(),
            "-classpath",
            classPath.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator)));
    List<JavaFileObject> files = new ArrayList<>();
    sources.forEach((name, source) -> files.add(new Source(name, source)));
    java.io.StringWriter messages = new java.io.StringWriter();
    try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
      if (!compiler.getTask(messages, manager, null, options, null, files).call()) {
        throw new IOException("the compiler says: " + messages);
      }
    }
  }

  private void addClasses(Path classes) throws IOException {
    try (Stream<Path> files = Files.walk(classes)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        String name = classes.relativize(file).toString().replace(File.separatorChar, '/');
        if (!stubs.contains(name)) {
          entries.put(name, Files.readAllBytes(file));
        }
      }
    }
  }

  private static Path origin(Class<?> type) {
    try {
      return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  private static final class Source extends SimpleJavaFileObject {
    private final String content;

    Source(String className, String content) {
      super(URI.create("string:///" + className.replace('.', '/') + ".java"), Kind.SOURCE);
      this.content = content;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return content;
    }
  }
}
