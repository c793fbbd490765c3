/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.scheme;

import io.hdrf.conf.HdrfKeys;
import java.io.IOException;
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
      if (providesSchemes(jar)) {
        for (ReductionScheme scheme : schemes(jar)) {
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

  private static boolean providesSchemes(Path jar) throws SchemeLoadException {
    try (JarFile file = new JarFile(jar.toFile())) {
      if (file.getEntry(SERVICE) != null) {
        return true;
      }
      if (!file.stream()
          .map(ZipEntry::getName)
          .anyMatch(n -> n.startsWith(SERVICES + "io.hdrf."))) {
        LOG.warn("{} is no plug-in: it has no {}", jar, SERVICE);
      }
      return false;
    } catch (IOException e) {
      throw new SchemeLoadException(jar + " is not a jar that can be read: " + e.getMessage(), e);
    }
  }

  private static List<ReductionScheme> schemes(Path jar) throws IOException {
    List<ReductionScheme> schemes = new ArrayList<>();
    try {
      ServiceLoader.load(ReductionScheme.class, PluginClassLoader.of(jar)).forEach(schemes::add);
    } catch (ServiceConfigurationError | LinkageError e) {
      throw new SchemeLoadException("a scheme in " + jar + " can't be loaded: " + reason(e), e);
    }
    if (schemes.isEmpty()) {
      LOG.warn("{} is no plug-in: its {} names no class", jar, SERVICE);
    }
    return schemes;
  }

  private static String reason(Throwable error) {
    Throwable cause = error.getCause();
    return cause == null ? error.toString() : error + ", because of " + cause;
  }
}
