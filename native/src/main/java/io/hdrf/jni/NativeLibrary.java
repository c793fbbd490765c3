/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.jni;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * HDRF's own shared library, {@code libhdrf.so}.
 *
 * <p>The first use of this class extracts the library from the jar, loads it and removes the file
 * again. A native library belongs to one class loader, so each loader that defines this class gets
 * a copy with a unique name. If the library cannot be loaded, everything in this package runs in
 * Java, or does nothing where Java has no way, and one warning says why.
 *
 * <p>System properties, read once:
 *
 * <ul>
 *   <li>{@value #DISABLED}: {@code true} never loads the library (for tests);
 *   <li>{@value #DIRECTORY}: where to put the file, instead of {@code java.io.tmpdir}, for machines
 *       that mount that directory {@code noexec};
 *   <li>{@value #INSTRUCTIONS}: the highest of {@code portable}, {@code sse4.2}, {@code avx2} and
 *       {@code avx512} that may be used if the CPU has it, for machines on which one of them is
 *       slow or broken; any other value allows none.
 * </ul>
 *
 * <p>For any number of threads.
 */
public final class NativeLibrary {

  /** Name of the system property that turns the library off. */
  public static final String DISABLED = "hdrf.native.disabled";

  /** Name of the system property with the directory for the library's temporary file. */
  public static final String DIRECTORY = "hdrf.native.dir";

  /** Name of the system property with the highest instructions that may be used. */
  public static final String INSTRUCTIONS = "hdrf.native.instructions";

  private static final List<String> LEVELS = Arrays.asList("portable", "sse4.2", "avx2", "avx512");

  private static final Logger LOG = LoggerFactory.getLogger(NativeLibrary.class);

  /** The reason why the library is not loaded; empty if it is. */
  private static final String WHY_NOT = load();

  private NativeLibrary() {}

  /** Returns whether the library is loaded; never changes. */
  public static boolean isLoaded() {
    return WHY_NOT.isEmpty();
  }

  /** Returns the reason why the library is not loaded, for messages; empty if it is. */
  public static String whyNot() {
    return WHY_NOT;
  }

  private static String load() {
    if (Boolean.getBoolean(DISABLED)) {
      LOG.info("HDRF's native library is turned off by {}", DISABLED);
      return "turned off by " + DISABLED;
    }
    String resource = resourceName();
    try (InputStream library = NativeLibrary.class.getResourceAsStream(resource)) {
      if (library == null) {
        return warned("there is none for this platform: no resource " + resource);
      }
      loadCopyOf(library);
      restrict();
      return "";
    } catch (IOException | LinkageError | RuntimeException e) {
      LOG.debug("Loading {} failed", resource, e);
      return warned(
          e
              + "; if the directory for temporary files is full, or mounted noexec, set -D"
              + DIRECTORY
              + "=DIR");
    }
  }

  private static void restrict() {
    String wanted = System.getProperty(INSTRUCTIONS);
    if (wanted == null) {
      return;
    }
    int level = LEVELS.indexOf(wanted);
    if (level < 0) {
      LOG.warn(
          "{} is \"{}\", but must be one of {}: portable is taken", INSTRUCTIONS, wanted, LEVELS);
    }
    restrictTo(Math.max(0, level));
  }

  private static native void restrictTo(int level);

  private static String warned(String reason) {
    LOG.warn("HDRF goes on without its native library, slower: {}", reason);
    return reason;
  }

  private static String resourceName() {
    String system = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
    String processor = System.getProperty("os.arch", "").toLowerCase(Locale.ROOT);
    if (processor.equals("amd64")) {
      processor = "x86_64";
    }
    return "/io/hdrf/native/" + system + "-" + processor + "/libhdrf.so";
  }

  private static void loadCopyOf(InputStream library) throws IOException {
    Path directory =
        Paths.get(System.getProperty(DIRECTORY, System.getProperty("java.io.tmpdir", ".")));
    // Readable and writable by this user alone, so that nobody else can put code into it.
    Path file = Files.createTempFile(directory, "libhdrf-", ".so").toAbsolutePath();
    try {
      try (OutputStream out = Files.newOutputStream(file)) {
        byte[] buffer = new byte[8192];
        for (int n = library.read(buffer); n >= 0; n = library.read(buffer)) {
          out.write(buffer, 0, n);
        }
      }
      System.load(file.toString());
    } finally {
      // The mapping stays after the file is deleted.
      Files.deleteIfExists(file);
    }
  }
}
