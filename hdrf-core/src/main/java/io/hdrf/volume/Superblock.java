/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.volume;

import io.hdrf.block.TagKey;
import io.hdrf.spi.io.CorruptFileException;
import io.hdrf.spi.io.DurableFile;
import io.hdrf.spi.io.DurableFiles;
import io.hdrf.spi.io.UnknownFormatVersionException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The facts about a volume and block pool that HDRF must know before it reads a block there: the
 * secret that headers are tagged with, and every scheme that was ever used. Kept in two copies,
 * {@value #COPY_0} and {@value #COPY_1}, each replaced as a whole and durably before the other is
 * touched, so that one of them is valid at any moment. Safe for use by many threads; one object per
 * directory at a time.
 */
public final class Superblock {

  private static final Logger LOG = LoggerFactory.getLogger(Superblock.class);

  static final String COPY_0 = "superblock.0";
  static final String COPY_1 = "superblock.1";

  private static final String TEMPORARY_SUFFIX = ".tmp";

  private final Path directory;
  private final DurableFiles files;

  /**
   * The last generation number; none is used twice, not even after a failed attempt to write it.
   */
  private long lastGeneration;

  private SuperblockContent content;

  /**
   * The name of the copy that differed from {@link #content} at start and could not be rewritten
   * yet, or null.
   */
  private String lagging;

  private Superblock(Path directory, DurableFiles files, SuperblockContent content) {
    this.directory = directory;
    this.files = files;
    this.content = content;
    this.lastGeneration = content.generation();
  }

  /**
   * Reads the superblock and, where one of its copies is missing, damaged or old, rewrites that
   * one. The returned content is durable. Where a copy can't be rewritten, as on a full disk, only
   * the other one counts until it can.
   *
   * @param directory the pool's {@code hdrf} directory on the volume
   * @param files creates the files
   * @return empty if there is no copy
   * @throws DamagedSuperblockException if there are copies but no valid one, or the two disagree
   * @throws UnknownFormatVersionException if another version of HDRF wrote one
   */
  public static Optional<Superblock> load(Path directory, DurableFiles files) throws IOException {
    Copies copies = Copies.read(directory);
    SuperblockContent newest = copies.newest();
    if (newest == null) {
      return Optional.empty();
    }
    Superblock superblock = new Superblock(directory, files, newest);
    for (int i = 0; i < Copies.NAMES.length; i++) {
      files.deleteIfExists(temporary(directory, Copies.NAMES[i]));
      if (copies.contents[i] == null || !copies.contents[i].sameAs(newest)) {
        superblock.lagging = Copies.NAMES[i];
      }
    }
    superblock.repairIfPossible();
    // A process killed before its last directory sync leaves names that only seem durable.
    files.forceDirectory(directory);
    return Optional.of(superblock);
  }

  /**
   * Reads the superblock and changes nothing, for tools.
   *
   * @return the key, or empty if there is no superblock
   * @throws DamagedSuperblockException as {@link #load}
   * @throws UnknownFormatVersionException as {@link #load}
   */
  public static Optional<TagKey> readKey(Path directory) throws IOException {
    SuperblockContent newest = Copies.read(directory).newest();
    return newest == null ? Optional.empty() : Optional.of(new TagKey(newest.secret()));
  }

  /**
   * As {@link #schemes}, but changes nothing.
   *
   * @return empty if there is no superblock
   * @throws DamagedSuperblockException as {@link #load}
   * @throws UnknownFormatVersionException as {@link #load}
   */
  public static Map<Integer, String> readSchemes(Path directory) throws IOException {
    SuperblockContent newest = Copies.read(directory).newest();
    return newest == null ? Collections.emptyMap() : newest.schemes();
  }

  /**
   * As {@link #mayLackChecksums}, but changes nothing.
   *
   * @return true also if there is no superblock: then nothing is known of the blocks
   * @throws DamagedSuperblockException as {@link #load}
   * @throws UnknownFormatVersionException as {@link #load}
   */
  public static boolean readMayLackChecksums(Path directory) throws IOException {
    SuperblockContent newest = Copies.read(directory).newest();
    return newest == null || newest.mayLackChecksums();
  }

  /**
   * Creates a superblock with a new random secret; it is durable on return.
   *
   * @param directory the pool's {@code hdrf} directory on the volume, created if it is missing
   * @param files creates the files
   * @throws FileAlreadyExistsException if there is a superblock, damaged or not
   */
  public static Superblock create(Path directory, DurableFiles files) throws IOException {
    byte[] secret = new byte[TagKey.LENGTH];
    new SecureRandom().nextBytes(secret);
    return create(directory, files, secret, System.currentTimeMillis());
  }

  static Superblock create(Path directory, DurableFiles files, byte[] secret, long creationTime)
      throws IOException {
    for (String name : Copies.NAMES) {
      if (Files.exists(directory.resolve(name), LinkOption.NOFOLLOW_LINKS)) {
        throw new FileAlreadyExistsException(directory.resolve(name).toString());
      }
    }
    files.createDirectories(directory);
    SuperblockContent content =
        new SuperblockContent(1, creationTime, secret, Collections.emptyMap(), false);
    Superblock superblock = new Superblock(directory, files, content);
    superblock.write(content);
    return superblock;
  }

  /** Returns the key made of the volume's secret. */
  public synchronized TagKey key() {
    return new TagKey(content.secret());
  }

  /** Returns the time of creation, in milliseconds since 1970-01-01 UTC. */
  public synchronized long creationTime() {
    return content.creationTime();
  }

  /**
   * Returns the names of all schemes recorded so far, by id, in the order of the ids; unmodifiable.
   */
  public synchronized Map<Integer, String> schemes() {
    return content.schemes();
  }

  /**
   * Returns whether blocks without checksums may be reduced on this volume: builds that made
   * superblocks of version 1 reduced them. There, a file without checksums that begins like a
   * reduced block may be a damaged one; elsewhere it is plain.
   */
  public synchronized boolean mayLackChecksums() {
    return content.mayLackChecksums();
  }

  /**
   * Records that no block without checksums is reduced on this volume; the record is durable on
   * return. From then on builds that reduce such blocks refuse the volume.
   *
   * @throws IOException if the superblock can't be written
   */
  public synchronized void recordChecksumsOnly() throws IOException {
    if (content.mayLackChecksums()) {
      SuperblockContent next = content.withChecksumsOnly(++lastGeneration);
      write(next);
      content = next;
    }
  }

  /**
   * Records that blocks on this volume may need a scheme. Does nothing if the scheme is already
   * recorded; otherwise the record is durable on return, in both copies.
   *
   * @param id from 1 to 65535
   * @param name as {@link io.hdrf.spi.scheme.ReductionScheme#name} defines it
   * @throws IOException if the superblock can't be written, or another name is recorded with that
   *     id: then two schemes claim the same id
   */
  public synchronized void recordScheme(int id, String name) throws IOException {
    String recorded = content.schemes().get(id);
    if (Objects.equals(recorded, name)) {
      repair();
      return;
    }
    if (recorded != null) {
      throw new IOException(
          directory
              + ": scheme id "
              + id
              + " belongs to scheme \""
              + recorded
              + "\" here and can't be used by scheme \""
              + name
              + "\"");
    }
    SuperblockContent next = content.withScheme(++lastGeneration, id, name);
    write(next);
    content = next;
  }

  private void write(SuperblockContent next) throws IOException {
    // The valid copy is replaced last.
    String first = lagging == null ? COPY_0 : lagging;
    writeCopy(first, next);
    writeCopy(first.equals(COPY_0) ? COPY_1 : COPY_0, next);
    lagging = null;
  }

  private void repairIfPossible() {
    try {
      repair();
    } catch (IOException e) {
      LOG.warn(
          "{} is missing, damaged or old and can't be written again. The other copy is good, and"
              + " blocks are read; none are reduced until both are. Make room on the disk, or see"
              + " to what is wrong with it",
          directory.resolve(lagging),
          e);
    }
  }

  private void repair() throws IOException {
    if (lagging != null) {
      writeCopy(lagging, content);
      lagging = null;
    }
  }

  private void writeCopy(String name, SuperblockContent next) throws IOException {
    Path temporary = temporary(directory, name);
    files.deleteIfExists(temporary);
    try (DurableFile file = files.create(temporary)) {
      file.write(ByteBuffer.wrap(next.encode()), 0);
      file.force();
    }
    files.rename(temporary, directory.resolve(name));
    files.forceDirectory(directory);
  }

  private static Path temporary(Path directory, String name) {
    return directory.resolve(name + TEMPORARY_SUFFIX);
  }

  /** Both copies as they are on the disk. */
  private static final class Copies {
    static final String[] NAMES = {COPY_0, COPY_1};

    private final Path directory;

    /** Null where a copy is missing or damaged. */
    private final SuperblockContent[] contents = new SuperblockContent[NAMES.length];

    private final StringBuilder damage = new StringBuilder();

    /** The reason why a copy could not be read at all, which says nothing about its content. */
    private IOException unreadable;

    private Copies(Path directory) {
      this.directory = directory;
    }

    static Copies read(Path directory) throws IOException {
      Copies copies = new Copies(directory);
      for (int i = 0; i < NAMES.length; i++) {
        copies.contents[i] = copies.readCopy(directory.resolve(NAMES[i]));
      }
      return copies;
    }

    private SuperblockContent readCopy(Path file) throws IOException {
      try {
        return SuperblockContent.parse(file, readBytes(file));
      } catch (NoSuchFileException e) {
        return null;
      } catch (CorruptFileException e) {
        damage.append(damage.length() == 0 ? "" : "; ").append(e.getMessage());
        return null;
      } catch (UnknownFormatVersionException e) {
        throw e;
      } catch (IOException e) {
        unreadable = e;
        return null;
      }
    }

    /** Returns all bytes of the file, or enough of them to show that it is too long. */
    private static byte[] readBytes(Path file) throws IOException {
      byte[] bytes = new byte[SuperblockContent.MAX_FILE_LENGTH + 1];
      int length = 0;
      try (InputStream in = Files.newInputStream(file)) {
        int n;
        while (length < bytes.length && (n = in.read(bytes, length, bytes.length - length)) > 0) {
          length += n;
        }
      }
      return Arrays.copyOf(bytes, length);
    }

    /** Returns the valid copy that counts, or null if there is no copy at all. */
    SuperblockContent newest() throws IOException {
      SuperblockContent first = contents[0];
      SuperblockContent second = contents[1];
      if (first == null && second == null) {
        if (unreadable != null) {
          throw unreadable;
        }
        if (damage.length() > 0) {
          throw damaged("there is no valid copy (" + damage + ")");
        }
        return null;
      }
      if (first == null || second == null) {
        return first == null ? second : first;
      }
      if (!first.sameVolume(second)) {
        throw damaged("the two copies are of different volumes");
      }
      if (first.generation() == second.generation() && !first.sameAs(second)) {
        throw damaged("the two copies have the same generation and differ");
      }
      return first.generation() >= second.generation() ? first : second;
    }

    private DamagedSuperblockException damaged(String what) {
      return new DamagedSuperblockException(
          directory.resolve(COPY_0)
              + " and "
              + directory.resolve(COPY_1)
              + ": "
              + what
              + ". They hold the secret without which reduced blocks on this volume can't be read."
              + " Put back one good copy of either file and remove the other; or, if there is none,"
              + " remove the volume from dfs.datanode.data.dir, so that HDFS replicates its blocks"
              + " from other DataNodes.");
    }
  }
}
