/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.scheme;

import io.hdrf.conf.HdrfKeys;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the schemes in the jars of the plug-in directory, each jar behind a class loader of its
 * own. Files that are no jars, and directories, are passed over. A jar without a scheme is passed
 * over too, with a warning unless it provides something else to HDRF; any other fault stops the
 * load, so that no DataNode runs with fewer schemes than its operator installed.
 */
public final class SchemeLoader {

  private static final Logger LOG = LoggerFactory.getLogger(SchemeLoader.class);
  private static final String SERVICES = "META-INF/services/";
  private static final String SERVICE = SERVICES + ReductionScheme.class.getName();

  private SchemeLoader() {}

  /**
   * Loads all schemes of a plug-in directory.
   *
   * @throws BadSettingException if it is missing or not readable
   * @throws SchemeLoadException if one of its jars can't be used; the message names it
   */
  public static SchemeRegistry load(Path pluginsDirectory) throws IOException {
    Map<ReductionScheme, String> origins = new LinkedHashMap<>();
    for (Path jar : jars(pluginsDirectory)) {
      List<String> classes = schemeClasses(jar);
      if (!classes.isEmpty()) {
        for (ReductionScheme scheme : schemes(jar, classes)) {
          origins.put(scheme, scheme.getClass().getName() + " in " + jar);
        }
      }
    }
    SchemeRegistry registry = new SchemeRegistry(origins, "in " + pluginsDirectory);
    LOG.info("Schemes {}", registry.installed());
    return registry;
  }

  private static List<Path> jars(Path directory) throws IOException {
    if (!Files.isDirectory(directory) || !Files.isReadable(directory)) {
      throw new BadSettingException(
          HdrfKeys.PLUGINS_DIR, directory.toString(), "a directory that the DataNode can read");
    }
    List<Path> jars = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*.jar")) {
      for (Path file : files) {
        if (!Files.isDirectory(file)) {
          jars.add(file);
        }
      }
    }
    Collections.sort(jars);
    return jars;
  }

  /** The classes that a jar's service file names; none if the jar has no scheme. */
  private static List<String> schemeClasses(Path jar) throws SchemeLoadException {
    try (JarFile file = new JarFile(jar.toFile())) {
      List<String> classes = new ArrayList<>();
      ZipEntry service = file.getEntry(SERVICE);
      if (service != null) {
        try (BufferedReader lines =
            new BufferedReader(
                new InputStreamReader(file.getInputStream(service), StandardCharsets.UTF_8))) {
          for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String name = line.replaceAll("#.*", "").trim();
            if (!name.isEmpty()) {
              classes.add(name);
            }
          }
        }
      }
      if (classes.isEmpty()
          && file.stream()
              .map(ZipEntry::getName)
              .noneMatch(name -> name.startsWith(SERVICES + "io.hdrf.") && !name.equals(SERVICE))) {
        LOG.warn("{} is no plug-in: it has no {}", jar, SERVICE);
      }
      return classes;
    } catch (IOException e) {
      throw new SchemeLoadException(jar + " is not a jar that can be read: " + e.getMessage(), e);
    }
  }

  private static List<ReductionScheme> schemes(Path jar, List<String> classes) throws IOException {
    List<ReductionScheme> schemes = new ArrayList<>();
    try {
      ServiceLoader.load(ReductionScheme.class, PluginClassLoader.of(jar)).forEach(schemes::add);
    } catch (ServiceConfigurationError | LinkageError e) {
      throw new SchemeLoadException(
          "a scheme of "
              + jar
              + " ("
              + String.join(", ", classes)
              + ") can't be loaded: "
              + chain(e),
          e);
    }
    return schemes;
  }

  private static String chain(Throwable error) {
    StringBuilder text = new StringBuilder(error.toString());
    for (Throwable cause = error.getCause(); cause != null; cause = cause.getCause()) {
      text.append(", because of ").append(cause);
    }
    return text.toString();
  }
}
