/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.block;

import io.hdrf.spi.io.DurableFile;
import io.hdrf.spi.io.DurableFiles;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UnsupportedEncodingException;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of {@link DirectoryPayloads}, one for each directory with blocks. They are written
 * aside and renamed, and never forced: one that is lost, torn or damaged is made again from the
 * blocks. Thus no failure here fails more than the cache.
 *
 * <p>For one pass over a pool's directories, by one thread.
 */
final class PayloadCache {

  private static final Logger LOG = LoggerFactory.getLogger(PayloadCache.class);

  /** The directory in the pool's {@code hdrf} directory. */
  static final String DIRECTORY = "payloads";

  static final String SUFFIX = ".hdp";
  private static final String TEMPORARY = "new.tmp";
  private static final int MAX_NAME = 255;

  private final Path directory;
  private final DurableFiles files;
  private final int schemeId;
  private final long volumeId;
  private final Set<Path> seen = new HashSet<>();
  private boolean failed;

  /**
   * @param hdrf the pool's {@code hdrf} directory; the files are in {@code payloads/<scheme>} below
   *     it, which is made where it is missing
   */
  PayloadCache(Path hdrf, DurableFiles files, int schemeId, long volumeId) {
    this.directory = hdrf.resolve(DIRECTORY).resolve(String.valueOf(schemeId));
    this.files = files;
    this.schemeId = schemeId;
    this.volumeId = volumeId;
  }

  private Path file(Path blocks) {
    try {
      return directory.resolve(URLEncoder.encode(blocks.toString(), "UTF-8") + SUFFIX);
    } catch (UnsupportedEncodingException e) {
      throw new AssertionError(e);
    }
  }

  /**
   * Returns what is known of the blocks of a directory.
   *
   * @param blocks relative to the pool's directory
   */
  DirectoryPayloads load(Path blocks) throws IOException {
    Path file = file(blocks);
    seen.add(file);
    try {
      long length = Files.size(file);
      // Else it is not read at all.
      if (length <= DirectoryPayloads.MAX_LENGTH) {
        return DirectoryPayloads.parse(file, Files.readAllBytes(file), schemeId, volumeId);
      }
      LOG.warn("{} is too long, and is made again", file);
    } catch (NoSuchFileException e) {
      LOG.debug("{} is read from the blocks", blocks);
    } catch (InterruptedIOException | ClosedByInterruptException e) {
      throw e;
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      LOG.info("{} is made again from the blocks: {}", file, e.toString());
    }
    return DirectoryPayloads.empty(schemeId, volumeId);
  }

  /**
   * Keeps what is known of the blocks of a directory.
   *
   * @param blocks as for {@link #load}
   */
  void store(Path blocks, DirectoryPayloads payloads) throws IOException {
    if (failed || !payloads.isChanged()) {
      return;
    }
    Path file = file(blocks);
    Path temporary = directory.resolve(TEMPORARY);
    try {
      byte[] raw = payloads.encode();
      if (raw == null || file.getFileName().toString().length() > MAX_NAME) {
        files.deleteIfExists(file);
        return;
      }
      if (!Files.isDirectory(directory)) {
        files.createDirectories(directory);
      }
      files.deleteIfExists(temporary);
      try (DurableFile out = files.create(temporary)) {
        out.write(ByteBuffer.wrap(raw), 0);
      }
      files.rename(temporary, file);
    } catch (InterruptedIOException | ClosedByInterruptException e) {
      throw e;
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      failed = true;
      LOG.warn(
          "{} can't be written: the next collection reads these blocks again, and others", file, e);
      delete(temporary);
    }
  }

  /** Deletes the files of directories that the whole pass did not come to, as far as it can. */
  void deleteOthers() {
    deleteBut(seen);
  }

  /**
   * Deletes all files.
   *
   * @return whether none is left, even after a power loss
   */
  boolean clear() {
    if (!deleteBut(new HashSet<>())) {
      return false;
    }
    try {
      files.forceDirectory(directory);
      return true;
    } catch (NoSuchFileException e) {
      return true;
    } catch (IOException | RuntimeException e) {
      LOG.warn("{} can't be made durable", directory, e);
      return false;
    }
  }

  private boolean deleteBut(Set<Path> kept) {
    boolean all = true;
    try (DirectoryStream<Path> found = Files.newDirectoryStream(directory)) {
      for (Path file : found) {
        if (!kept.contains(file)) {
          all &= delete(file);
        }
      }
      return all;
    } catch (NoSuchFileException e) {
      return true;
    } catch (IOException | RuntimeException e) {
      LOG.warn("What is in {} and not needed any more stays there", directory, e);
      return false;
    }
  }

  private boolean delete(Path file) {
    try {
      files.deleteIfExists(file);
      return true;
    } catch (IOException | RuntimeException e) {
      LOG.warn("{} can't be deleted", file, e);
      return false;
    }
  }
}
