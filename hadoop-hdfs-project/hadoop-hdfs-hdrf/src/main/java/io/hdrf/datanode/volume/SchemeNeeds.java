/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.volume;

import io.hdrf.scheme.SchemeChain;
import io.hdrf.spi.PluginSettings;
import io.hdrf.spi.io.DurableFiles;
import io.hdrf.spi.scheme.FrameScheme;
import io.hdrf.spi.scheme.ReductionScheme;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;

/**
 * The things that blocks of a volume and pool need besides their schemes, such as a class that is
 * not in a scheme's jar: an empty directory {@code hdrf/needs/<scheme>/<name>} for each name. Made
 * before the first block that needs it, never removed. Thread-safe.
 */
final class SchemeNeeds {

  private static final String DIRECTORY = "needs";
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_$-][A-Za-z0-9._$-]{0,254}");

  private final Path directory;
  private final Configuration configuration;
  private final DurableFiles files;
  private final Set<Path> recorded = ConcurrentHashMap.newKeySet();

  /**
   * @param hdrfDirectory HDRF's directory of the volume and pool
   */
  SchemeNeeds(Path hdrfDirectory, Configuration configuration, DurableFiles files) {
    this.directory = hdrfDirectory.resolve(DIRECTORY);
    this.configuration = configuration;
    this.files = files;
  }

  /** Records durably the needs of the chain's schemes with their present settings. */
  void record(SchemeChain chain) throws IOException {
    for (ReductionScheme scheme : chain.schemes()) {
      if (scheme instanceof FrameScheme) {
        for (String need : ((FrameScheme) scheme).needs(settings(scheme))) {
          record(scheme, need);
        }
      }
    }
  }

  private void record(ReductionScheme scheme, String need) throws IOException {
    if (!NAME.matcher(need).matches()) {
      throw new IOException(
          "scheme " + scheme.name() + " needs \"" + need + "\", which is no name");
    }
    Path mark = directory.resolve(scheme.name()).resolve(need);
    if (!recorded.contains(mark)) {
      files.createDirectories(mark);
      recorded.add(mark);
    }
  }

  /**
   * Checks that everything is there that a scheme needed here.
   *
   * @throws IOException says what is missing and how many blocks need it
   */
  void require(ReductionScheme scheme, FinalizedSurvey survey) throws IOException {
    Path needs = directory.resolve(scheme.name());
    if (!(scheme instanceof FrameScheme) || !Files.isDirectory(needs)) {
      return;
    }
    try (DirectoryStream<Path> marks = Files.newDirectoryStream(needs)) {
      for (Path mark : marks) {
        require((FrameScheme) scheme, mark.getFileName().toString(), survey);
      }
    }
  }

  private void require(FrameScheme scheme, String need, FinalizedSurvey survey) throws IOException {
    try {
      scheme.requireNeed(need, settings(scheme));
    } catch (IOException e) {
      long blocks = survey.countBlocksThatNeed(scheme, need);
      if (blocks > 0) {
        throw new IOException(
            directory.getParent().getParent()
                + " has "
                + FinalizedSurvey.words(blocks)
                + " blocks that need "
                + need
                + " for the scheme \""
                + scheme.name()
                + "\": "
                + e.getMessage()
                + ", and restart the DataNode",
            e);
      }
    }
  }

  private PluginSettings settings(ReductionScheme scheme) {
    return new PluginSettings(configuration, scheme.name());
  }
}
