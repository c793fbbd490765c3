/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.lifecycle;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Class files by name, and what they say about each other. Names are internal, with slashes. */
final class ClassFiles {

  private static final String HADOOP = "org/apache/hadoop/";

  /** Hadoop 3.3 and later have it in a package of their own. */
  private static final String PROTOBUF = "com/google/protobuf/";

  private static final int CLASS = 7;
  private static final int FIELD = 9;
  private static final int METHOD = 10;
  private static final int INTERFACE_METHOD = 11;

  private static final class ClassFile {
    private final ClassReader reader;
    private final List<String> parents = new ArrayList<>();

    /** Names with descriptors: what has none of these access flags can be overridden. */
    private final Map<String, Integer> members = new HashMap<>();

    ClassFile(byte[] bytes) {
      reader = new ClassReader(bytes);
      if (reader.getSuperName() != null) {
        parents.add(reader.getSuperName());
      }
      parents.addAll(List.of(reader.getInterfaces()));
      reader.accept(
          new ClassVisitor(Opcodes.ASM9) {
            @Override
            public FieldVisitor visitField(
                int access, String name, String descriptor, String signature, Object value) {
              members.put(name + " " + descriptor, access);
              return null;
            }

            @Override
            public MethodVisitor visitMethod(
                int access, String name, String descriptor, String signature, String[] thrown) {
              members.put(name + descriptor, access);
              return null;
            }
          },
          ClassReader.SKIP_CODE | ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
    }
  }

  private final Map<String, ClassFile> classes = new HashMap<>();

  static ClassFiles ofJars(Path directory) throws IOException {
    ClassFiles all = new ClassFiles();
    try (Stream<Path> jars = Files.list(directory)) {
      for (Path jar : jars.toList()) {
        try (ZipFile zip = new ZipFile(jar.toFile())) {
          for (ZipEntry entry : zip.stream().toList()) {
            if (entry.getName().startsWith(HADOOP) && entry.getName().endsWith(".class")) {
              all.add(zip.getInputStream(entry).readAllBytes());
            }
          }
        }
      }
    }
    return all;
  }

  void addDirectory(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.filter(path -> path.toString().endsWith(".class")).toList()) {
        add(Files.readAllBytes(file));
      }
    }
  }

  private void add(byte[] bytes) {
    ClassFile file = new ClassFile(bytes);
    classes.put(file.reader.getClassName(), file);
  }

  ClassFiles without(Predicate<String> names) {
    ClassFiles rest = new ClassFiles();
    classes.forEach(
        (name, file) -> {
          if (!names.test(name)) {
            rest.classes.put(name, file);
          }
        });
    return rest;
  }

  /** What these classes refer to in Hadoop, and {@code hadoop} does not have. */
  SortedSet<String> missing(ClassFiles hadoop) {
    ClassFiles both = new ClassFiles();
    both.classes.putAll(hadoop.classes);
    both.classes.putAll(classes);
    SortedSet<String> missing = new TreeSet<>();
    classes.forEach((name, file) -> both.addMissing(name, file.reader, missing));
    return missing;
  }

  private void addMissing(String from, ClassReader reader, Set<String> missing) {
    char[] buffer = new char[reader.getMaxStringLength()];
    for (int i = 1; i < reader.getItemCount(); i++) {
      int item = reader.getItem(i);
      if (item == 0) {
        continue;
      }
      int tag = reader.readByte(item - 1);
      if (tag == CLASS) {
        String name = reader.readUTF8(item, buffer);
        if ((name.startsWith(HADOOP) && !classes.containsKey(name)) || name.startsWith(PROTOBUF)) {
          missing.add(name + " <- " + from);
        }
      } else if (tag == FIELD || tag == METHOD || tag == INTERFACE_METHOD) {
        String owner = reader.readClass(item, buffer);
        int nameAndType = reader.getItem(reader.readUnsignedShort(item + 2));
        String member =
            reader.readUTF8(nameAndType, buffer)
                + (tag == FIELD ? " " : "")
                + reader.readUTF8(nameAndType + 2, buffer);
        if (owner.startsWith(HADOOP) && !has(owner, member)) {
          missing.add(owner.substring(owner.lastIndexOf('/') + 1) + "." + member + " <- " + from);
        }
      }
    }
  }

  /** Whether a class of Hadoop, or one that it extends, has a member; outside of it any may. */
  private boolean has(String name, String member) {
    ClassFile file = classes.get(name);
    if (file == null) {
      return !name.startsWith(HADOOP) && isOfTheJdk(name, member);
    }
    return file.members.containsKey(member)
        || file.parents.stream().anyMatch(parent -> has(parent, member));
  }

  private static boolean isOfTheJdk(String name, String member) {
    try (java.io.InputStream in = ClassLoader.getSystemResourceAsStream(name + ".class")) {
      if (in == null) {
        return false;
      }
      ClassFile file = new ClassFile(in.readAllBytes());
      return file.members.containsKey(member)
          || file.parents.stream().anyMatch(parent -> isOfTheJdk(parent, member));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The methods of these classes that override, or implement, one of {@code hadoop}. */
  SortedSet<String> overrides(ClassFiles hadoop) {
    SortedSet<String> overrides = new TreeSet<>();
    int never = Opcodes.ACC_PRIVATE | Opcodes.ACC_STATIC | Opcodes.ACC_SYNTHETIC;
    classes.forEach(
        (name, file) -> {
          Set<String> above = new HashSet<>();
          addParents(file, hadoop, above);
          file.members.forEach(
              (member, access) -> {
                if ((access & never) == 0
                    && member.indexOf('(') > 0
                    && member.charAt(0) != '<'
                    && above.stream().anyMatch(parent -> hadoop.declares(parent, member))) {
                  overrides.add(name + "." + member);
                }
              });
        });
    return overrides;
  }

  /** The methods of a class that call one of the given name of another class. */
  SortedSet<String> callers(String name, String calledOwner, String calledName) {
    SortedSet<String> callers = new TreeSet<>();
    classes
        .get(name)
        .reader
        .accept(
            new ClassVisitor(Opcodes.ASM9) {
              @Override
              public MethodVisitor visitMethod(
                  int access, String caller, String descriptor, String signature, String[] thrown) {
                return new MethodVisitor(Opcodes.ASM9) {
                  @Override
                  public void visitMethodInsn(
                      int opcode, String owner, String called, String type, boolean isInterface) {
                    if (owner.equals(calledOwner) && called.equals(calledName)) {
                      callers.add(caller + descriptor);
                    }
                  }
                };
              }
            },
            ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
    return callers;
  }

  private void addParents(ClassFile file, ClassFiles hadoop, Set<String> above) {
    for (String parent : file.parents) {
      ClassFile next = classes.getOrDefault(parent, hadoop.classes.get(parent));
      if (next != null) {
        above.add(parent);
        addParents(next, hadoop, above);
      }
    }
  }

  private boolean declares(String name, String member) {
    ClassFile file = classes.get(name);
    return file != null
        && file.members.containsKey(member)
        && (file.members.get(member) & (Opcodes.ACC_PRIVATE | Opcodes.ACC_STATIC)) == 0;
  }
}
