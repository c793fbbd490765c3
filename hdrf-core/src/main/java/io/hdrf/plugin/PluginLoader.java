/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.plugin;

import io.hdrf.conf.HdrfKeys;
import io.hdrf.spi.BadSettingException;
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
 * Finds the providers in the jars of the plug-in directory; each jar has its own class loader.
 * Skips directories and files that are no jars. Skips a jar that provides nothing to HDRF with a
 * warning; any other fault stops the load, so that no DataNode runs with fewer plug-ins than its
 * operator installed.
 */
public final class PluginLoader {

  private static final Logger LOG = LoggerFactory.getLogger(PluginLoader.class);
  private static final String SERVICES = "META-INF/services/";
  private static final String SPI_SERVICES = SERVICES + "io.hdrf.spi.";

  /** Names of builds before the SPI had packages of its own, and today's. */
  private static final String[][] OLD_SERVICES = {
    {SERVICES + "io.hdrf.scheme.ReductionScheme", SPI_SERVICES + "scheme.ReductionScheme"},
    {
      SERVICES + "io.hdrf.metadata.MetadataStoreProvider",
      SPI_SERVICES + "store.MetadataStoreProvider"
    },
  };

  private PluginLoader() {}

  /**
   * Loads all providers of a service.
   *
   * @param pluginsDirectory the directory with the jars
   * @param service the interface that plug-ins implement
   * @return the providers, each with its class and jar for messages
   * @throws BadSettingException if the directory is missing or not readable
   * @throws PluginLoadException if a jar can't be used, or somebody else may write to it or to the
   *     directory
   */
  public static <S> Map<S, String> load(Path pluginsDirectory, Class<S> service)
      throws IOException {
    Map<S, String> origins = new LinkedHashMap<>();
    for (Path jar : jars(pluginsDirectory)) {
      List<String> classes = providers(jar, SERVICES + service.getName());
      if (!classes.isEmpty()) {
        for (S provider : load(jar, service, classes)) {
          origins.put(provider, provider.getClass().getName() + " in " + jar);
        }
      }
    }
    return origins;
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
    PluginAccess.check(directory, jars);
    return jars;
  }

  /** Returns the classes that a jar's service file names; none if the jar has no service file. */
  private static List<String> providers(Path jar, String serviceFile) throws PluginLoadException {
    try (JarFile file = new JarFile(jar.toFile())) {
      List<String> classes = new ArrayList<>();
      ZipEntry service = file.getEntry(serviceFile);
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
      for (String[] names : OLD_SERVICES) {
        if (file.getEntry(names[0]) != null && file.getEntry(names[1]) == null) {
          throw new PluginLoadException(
              jar + " was built for an older HDRF: it has " + names[0] + "; build it for this one",
              null);
        }
      }
      if (classes.isEmpty()
          && file.stream()
              .map(ZipEntry::getName)
              .allMatch(name -> name.equals(serviceFile) || !name.startsWith(SPI_SERVICES))) {
        LOG.warn("{} is no plug-in: it has no {}", jar, serviceFile);
      }
      return classes;
    } catch (PluginLoadException e) {
      throw e;
    } catch (IOException e) {
      throw new PluginLoadException(jar + " is not a jar that can be read: " + e.getMessage(), e);
    }
  }

  private static <S> List<S> load(Path jar, Class<S> service, List<String> classes)
      throws IOException {
    List<S> providers = new ArrayList<>();
    try {
      ServiceLoader.load(service, PluginClassLoader.of(jar)).forEach(providers::add);
    } catch (ServiceConfigurationError | LinkageError e) {
      throw new PluginLoadException(
          "a plug-in of "
              + jar
              + " ("
              + String.join(", ", classes)
              + ") can't be loaded: "
              + chain(e),
          e);
    }
    return providers;
  }

  private static String chain(Throwable error) {
    StringBuilder text = new StringBuilder(error.toString());
    for (Throwable cause = error.getCause(); cause != null; cause = cause.getCause()) {
      text.append(", because of ").append(cause);
    }
    return text.toString();
  }
}
