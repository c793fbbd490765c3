/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.io;

import io.hdrf.spi.io.DurableFile;
import io.hdrf.spi.io.DurableFiles;
import io.hdrf.spi.io.LocalDurableFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * {@link DurableFiles} on a real directory that can lose power at any operation. It separates the
 * page cache (the real directory) from the durable state, and {@link #crashedState} writes a
 * directory as it may look after a power loss:
 *
 * <ul>
 *   <li>data that {@link DurableFile#force} made durable are there;
 *   <li>a write that was not forced is there, or not, or torn at sectors of 512 or 4096 bytes;
 *       where it is not, the old data are, or zeros; the file's length is any that it had since the
 *       last force;
 *   <li>a name that was created, renamed or deleted without {@link #forceDirectory} is changed, or
 *       not, independently of other names; but changes of one name happen in their order, and a
 *       rename as a whole or not at all. A rename between directories is durable when the target's
 *       directory is forced;
 *   <li>a mode that was copied is there, or the old one.
 * </ul>
 *
 * <p>After a failed {@link DurableFile#force} no later force makes the writes before it durable:
 * the kernel has marked their pages as clean.
 *
 * <p>Operations are numbered from 1: every create, write, setLength, force, rename, delete,
 * directory force, copyMode and directory creation. Files that are already in the directory are
 * durable, except after {@link #importUnsynced}; files put into it without this object don't
 * survive. Nothing is really forced to the disk. Safe for use by many threads.
 */
public final class CrashableFiles implements DurableFiles {

  /** When the power goes off. */
  public enum Moment {
    /** The operation does not happen. */
    BEFORE,
    /** A write has reached the page cache in part, a force nothing; else as {@link #AFTER}. */
    INSIDE,
    /** The operation happened, but the caller gets no answer. */
    AFTER
  }

  private static final int NEVER = -1;

  private final Path root;
  private final DurableFiles real = LocalDurableFiles.INSTANCE;
  private final Map<Path, Inode> current = new HashMap<>();
  private final Map<Path, Inode> durable = new TreeMap<>();
  private final Set<Path> directories = new TreeSet<>();
  private final List<NameChange> pendingNames = new ArrayList<>();
  private final List<String> log = new ArrayList<>();

  private int crashAt = NEVER;
  private Moment crashMoment = Moment.BEFORE;
  private boolean crashed;
  private int failFrom = NEVER;
  private int failTo = NEVER;
  private String failure;

  /**
   * @param root an existing directory; operations on files outside of it are refused
   */
  public CrashableFiles(Path root) throws IOException {
    this.root = root.toAbsolutePath().normalize();
    try (Stream<Path> paths = Files.walk(this.root)) {
      for (Path path : (Iterable<Path>) paths::iterator) {
        if (Files.isDirectory(path)) {
          directories.add(path);
        } else {
          importDurable(path);
        }
      }
    }
  }

  /** Lets the power go off at an operation; it and all later ones throw {@link CrashException}. */
  public synchronized CrashableFiles crash(Moment moment, int operation) {
    crashAt = operation;
    crashMoment = moment;
    return this;
  }

  /** Lets one operation fail, a write after half of its bytes. */
  public synchronized CrashableFiles failAt(int operation, String message) {
    failFrom = operation;
    failTo = operation;
    failure = message;
    return this;
  }

  /** Lets an operation and all later ones fail. */
  public synchronized CrashableFiles failFrom(int operation, String message) {
    failAt(operation, message);
    failTo = Integer.MAX_VALUE;
    return this;
  }

  /** How many operations there were, the failed ones included. */
  public synchronized int operations() {
    return log.size();
  }

  /** The operations, in order. */
  public synchronized List<String> log() {
    return new ArrayList<>(log);
  }

  /** Whether the power went off. */
  public synchronized boolean hasCrashed() {
    return crashed;
  }

  /**
   * Takes a file that came into the directory without this object, with name and content durable.
   */
  public synchronized void importDurable(Path file) throws IOException {
    Path path = inside(file);
    Inode inode = new Inode(mode(path));
    inode.content = SparseContent.of(path);
    current.put(path, inode);
    durable.put(path, inode);
  }

  /**
   * Takes a file that came into the directory without this object. Its name is durable, its content
   * and length are not: like a block that HDFS finalized.
   */
  public synchronized void importUnsynced(Path file) throws IOException {
    Path path = inside(file);
    Inode inode = new Inode(mode(path));
    byte[] bytes = Files.readAllBytes(path);
    int piece = 16 * SparseContent.PAGE;
    for (int i = 0; i < bytes.length; i += piece) {
      inode.pending.add(
          DataChange.write(
              i, java.util.Arrays.copyOfRange(bytes, i, Math.min(bytes.length, i + piece))));
    }
    current.put(path, inode);
    durable.put(path, inode);
  }

  /**
   * Writes what a power loss at this moment may leave.
   *
   * @param emptyDirectory replaces the root; created if it is missing
   * @param seed decides what survives; 0 drops everything that was not synced, 1 keeps everything,
   *     2 keeps names only, 3 keeps content only
   */
  public synchronized void crashedState(Path emptyDirectory, long seed) throws IOException {
    Survival survival = new Survival(seed);
    Map<Path, Inode> names = new TreeMap<>(durable);
    survival.names(pendingNames).forEach(change -> change.applyTo(names));
    for (Path directory : directories) {
      Files.createDirectories(emptyDirectory.resolve(root.relativize(directory).toString()));
    }
    for (Map.Entry<Path, Inode> name : names.entrySet()) {
      Path file = emptyDirectory.resolve(root.relativize(name.getKey()).toString());
      survival.content(name.getValue()).writeTo(file);
      Files.setAttribute(file, "unix:mode", survival.mode(name.getValue()));
    }
  }

  @Override
  public synchronized DurableFile create(Path file) throws IOException {
    Path path = inside(file);
    DurableFile[] opened = new DurableFile[1];
    Inode inode = new Inode(0600);
    step(
        "create " + root.relativize(path),
        () -> {
          opened[0] = real.create(path);
          changeName(new NameChange(null, path, inode));
        },
        () -> {});
    return new CrashableFile(opened[0], inode, root.relativize(path).toString());
  }

  @Override
  public synchronized DurableFile open(Path file) throws IOException {
    checkPower();
    Path path = inside(file);
    return new CrashableFile(real.open(path), known(path), root.relativize(path).toString());
  }

  @Override
  public synchronized void copyMode(Path model, Path target) throws IOException {
    Path path = inside(target);
    step(
        "copyMode " + root.relativize(path),
        () -> {
          real.copyMode(model, path);
          known(path).modes.add(mode(path));
        },
        () -> {});
  }

  @Override
  public synchronized void rename(Path from, Path to) throws IOException {
    Path source = inside(from);
    Path target = inside(to);
    step(
        "rename " + root.relativize(source) + " " + root.relativize(target),
        () -> {
          Inode inode = known(source);
          real.rename(source, target);
          changeName(new NameChange(source, target, inode));
        },
        () -> {});
  }

  @Override
  public synchronized void deleteIfExists(Path file) throws IOException {
    Path path = inside(file);
    step(
        "delete " + root.relativize(path),
        () -> {
          boolean directory = Files.isDirectory(path);
          real.deleteIfExists(path);
          if (directory) {
            directories.remove(path);
          } else if (current.containsKey(path)) {
            changeName(new NameChange(path, null, current.get(path)));
          }
        },
        () -> {});
  }

  @Override
  public synchronized void createDirectories(Path directory) throws IOException {
    Path path = inside(directory);
    step(
        "createDirectories " + root.relativize(path),
        () -> {
          real.createDirectories(path);
          for (Path p = path; p.startsWith(root); p = p.getParent()) {
            directories.add(p);
          }
        },
        () -> {});
  }

  @Override
  public synchronized void forceDirectory(Path directory) throws IOException {
    Path path = inside(directory);
    step("forceDirectory " + root.relativize(path), () -> makeDurable(path), null);
  }

  private void changeName(NameChange change) {
    change.applyTo(current);
    pendingNames.add(change);
  }

  /** Also makes durable the earlier changes of the names that these changes concern. */
  private void makeDurable(Path directory) {
    boolean[] forced = new boolean[pendingNames.size()];
    Set<Path> needed = new HashSet<>();
    for (int i = pendingNames.size() - 1; i >= 0; i--) {
      NameChange change = pendingNames.get(i);
      forced[i] = directory.equals(change.directory()) || change.concernsAnyOf(needed);
      if (forced[i]) {
        change.addNamesTo(needed);
      }
    }
    List<NameChange> rest = new ArrayList<>();
    for (int i = 0; i < forced.length; i++) {
      if (forced[i]) {
        pendingNames.get(i).applyTo(durable);
      } else {
        rest.add(pendingNames.get(i));
      }
    }
    pendingNames.clear();
    pendingNames.addAll(rest);
  }

  private interface Operation {
    void run() throws IOException;
  }

  /**
   * Counts an operation and carries it out, or not.
   *
   * @param partial what a failure of the operation still does
   */
  private void step(String description, Operation whole, Operation partial) throws IOException {
    checkPower();
    log.add(description);
    int number = log.size();
    boolean crash = number == crashAt;
    if (crash && crashMoment == Moment.BEFORE) {
      powerOff();
    }
    if (number >= failFrom && number <= failTo) {
      if (partial != null) {
        partial.run();
      }
      throw new IOException(failure);
    }
    if (crash && crashMoment == Moment.INSIDE) {
      if (description.startsWith("write ")) {
        partial.run();
      } else if (!description.startsWith("force")) {
        whole.run();
      }
      powerOff();
    }
    whole.run();
    if (crash) {
      powerOff();
    }
  }

  private void powerOff() {
    crashed = true;
    checkPower();
  }

  private void checkPower() {
    if (crashed) {
      throw new CrashException(
          "power loss " + crashMoment + " operation " + crashAt + ": " + log.get(crashAt - 1));
    }
  }

  private Path inside(Path path) {
    Path absolute = WatchedPath.real(path).toAbsolutePath().normalize();
    if (!absolute.startsWith(root)) {
      throw new IllegalArgumentException(path + " is not in " + root);
    }
    return absolute;
  }

  private Inode known(Path path) {
    return Objects.requireNonNull(
        current.get(path), () -> path + " came into the directory without this object");
  }

  private static int mode(Path path) throws IOException {
    return (Integer) Files.getAttribute(path, "unix:mode") & 07777;
  }

  /** A file apart from its name. */
  private static final class Inode {
    SparseContent content = new SparseContent();
    final List<DataChange> pending = new ArrayList<>();
    final List<Integer> modes = new ArrayList<>();

    Inode(int mode) {
      modes.add(mode);
    }

    void force() {
      List<DataChange> rest = new ArrayList<>();
      for (DataChange change : pending) {
        if (change.doomed) {
          rest.add(change);
        } else {
          change.applyTo(content);
          rest.removeIf(change::overlaps);
        }
      }
      pending.clear();
      pending.addAll(rest);
    }

    void failForce() {
      pending.forEach(change -> change.doomed = true);
    }
  }

  /** A write, or (without bytes) a change of the length. */
  private static final class DataChange {
    final long position;
    final byte[] bytes;

    /** A force failed since: no other can make it durable. */
    boolean doomed;

    private DataChange(long position, byte[] bytes) {
      this.position = position;
      this.bytes = bytes;
    }

    static DataChange write(long position, byte[] bytes) {
      return new DataChange(position, bytes);
    }

    static DataChange length(long length) {
      return new DataChange(length, null);
    }

    void applyTo(SparseContent content) {
      if (bytes == null) {
        content.setLength(position);
      } else {
        content.write(position, bytes, 0, bytes.length);
      }
    }

    boolean overlaps(DataChange other) {
      if (bytes == null || other.bytes == null) {
        return true;
      }
      return position < other.position + other.bytes.length
          && other.position < position + bytes.length;
    }
  }

  /** A creation (no old name), rename, or deletion (no new name). */
  private static final class NameChange {
    final Path from;
    final Path to;
    final Inode inode;

    NameChange(Path from, Path to, Inode inode) {
      this.from = from;
      this.to = to;
      this.inode = inode;
    }

    Path directory() {
      return to == null ? from.getParent() : to.getParent();
    }

    void applyTo(Map<Path, Inode> names) {
      if (from != null) {
        names.remove(from, inode);
      }
      if (to != null) {
        names.put(to, inode);
      }
    }

    boolean concernsAnyOf(Set<Path> names) {
      return names.contains(from) || names.contains(to);
    }

    void addNamesTo(Set<Path> names) {
      if (from != null) {
        names.add(from);
      }
      if (to != null) {
        names.add(to);
      }
    }
  }

  /** Decides by chance what survives. */
  private static final class Survival {
    private final Random random;
    private final double nameChance;
    private final double dataChance;
    private final boolean namesInOrder;
    private final int sector;

    Survival(long seed) {
      random = new Random(seed);
      boolean extreme = seed >= 0 && seed < 4;
      nameChance = extreme ? (seed == 1 || seed == 2 ? 1 : 0) : chance();
      dataChance = extreme ? (seed == 1 || seed == 3 ? 1 : 0) : chance();
      namesInOrder = random.nextBoolean();
      sector = random.nextBoolean() ? 512 : 4096;
    }

    private double chance() {
      return new double[] {0, 0.1, 0.5, 0.9, 1}[random.nextInt(5)];
    }

    private boolean happens(double chance) {
      return random.nextDouble() < chance;
    }

    List<NameChange> names(List<NameChange> pending) {
      List<NameChange> kept = new ArrayList<>();
      Set<Path> dropped = new HashSet<>();
      boolean inOrder = true;
      for (NameChange change : pending) {
        if (inOrder && !change.concernsAnyOf(dropped) && happens(nameChance)) {
          kept.add(change);
        } else {
          change.addNamesTo(dropped);
          inOrder = !namesInOrder;
        }
      }
      return kept;
    }

    SparseContent content(Inode inode) {
      SparseContent content = inode.content.copy();
      List<Long> lengths = new ArrayList<>();
      SparseContent whole = inode.content.copy();
      lengths.add(whole.length());
      for (DataChange change : inode.pending) {
        change.applyTo(whole);
        lengths.add(whole.length());
        if (change.bytes != null) {
          tear(change, content);
        } else if (happens(dataChance)) {
          change.applyTo(content);
        }
      }
      if (dataChance == 0) {
        content.setLength(lengths.get(0));
      } else if (dataChance == 1) {
        content.setLength(whole.length());
      } else {
        content.setLength(lengths.get(random.nextInt(lengths.size())));
      }
      return content;
    }

    private void tear(DataChange write, SparseContent content) {
      int done = 0;
      while (done < write.bytes.length) {
        long position = write.position + done;
        int n = (int) Math.min(write.bytes.length - done, sector - position % sector);
        if (happens(dataChance)) {
          content.write(position, write.bytes, done, n);
        }
        done += n;
      }
    }

    int mode(Inode inode) {
      return inode.modes.get(random.nextInt(inode.modes.size()));
    }
  }

  private final class CrashableFile implements DurableFile {
    private final DurableFile file;
    private final Inode inode;
    private final String name;

    CrashableFile(DurableFile file, Inode inode, String name) {
      this.file = file;
      this.inode = inode;
      this.name = name;
    }

    @Override
    public void write(ByteBuffer src, long position) throws IOException {
      synchronized (CrashableFiles.this) {
        int length = src.remaining();
        step(
            "write " + name + " " + position + "+" + length,
            () -> doWrite(src, position, length),
            () -> doWrite(src, position, length / 2));
      }
    }

    private void doWrite(ByteBuffer src, long position, int length) throws IOException {
      byte[] bytes = new byte[length];
      src.get(bytes);
      file.write(ByteBuffer.wrap(bytes), position);
      inode.pending.add(DataChange.write(position, bytes));
    }

    @Override
    public int read(ByteBuffer dst, long position) throws IOException {
      synchronized (CrashableFiles.this) {
        checkPower();
        return file.read(dst, position);
      }
    }

    @Override
    public void setLength(long length) throws IOException {
      synchronized (CrashableFiles.this) {
        step(
            "setLength " + name + " " + length,
            () -> {
              file.setLength(length);
              inode.pending.add(DataChange.length(length));
            },
            () -> {});
      }
    }

    @Override
    public long length() throws IOException {
      synchronized (CrashableFiles.this) {
        checkPower();
        return file.length();
      }
    }

    @Override
    public void force() throws IOException {
      synchronized (CrashableFiles.this) {
        step("force " + name, inode::force, inode::failForce);
      }
    }

    /** Works after a crash too: descriptors must not leak from tests. */
    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
