/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import io.hdrf.codec.dedup.container.format.ContainerDirectory;
import io.hdrf.codec.dedup.container.format.GroupNames;
import io.hdrf.spi.scheme.GroupExport;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Some groups of a store, for the store of another DataNode. For one thread. */
final class ContainerGroups implements GroupExport {

  /**
   * A group, by its chunks, whose numbers follow each other: a compaction may give it another
   * place, or put what is left of it together with chunks of others.
   */
  static final class Group {
    private final long container;
    private final int firstNumber;
    private final int count;

    Group(long container, int firstNumber, int count) {
      this.container = container;
      this.firstNumber = firstNumber;
      this.count = count;
    }
  }

  /** Reads from a container's file. */
  private interface Reading {
    ByteBuffer read(LoadedContainer source, ContainerDirectory directory, int group)
        throws IOException;
  }

  private final ContainerStore store;
  private final List<Group> groups;

  ContainerGroups(ContainerStore store, List<Group> groups) {
    this.store = store;
    this.groups = new ArrayList<>(groups);
  }

  @Override
  public int count() {
    return groups.size();
  }

  @Override
  public ByteBuffer names(int group) throws IOException {
    return read(groups.get(group), (source, directory, at) -> GroupNames.encode(directory, at));
  }

  @Override
  public ByteBuffer content(int group) throws IOException {
    return read(
        groups.get(group),
        (source, directory, at) -> {
          ByteBuffer content = ByteBuffer.allocate(1 + directory.storedLength(at));
          content.put((byte) directory.stages(at));
          source.read(content, directory.groupPosition(at) + directory.headerLength(at));
          content.flip();
          return content;
        });
  }

  private ByteBuffer read(Group wanted, Reading reading) throws IOException {
    return store.withLoaded(
        wanted.container,
        source -> {
          ContainerDirectory directory = source.directory();
          int index = directory.indexOf(wanted.firstNumber);
          int group = index < 0 ? -1 : directory.groupOf(index);
          if (group < 0
              || directory.firstChunk(group) != index
              || directory.endChunk(group) != index + wanted.count
              || directory.number(index + wanted.count - 1)
                  != wanted.firstNumber + wanted.count - 1) {
            throw new MissingChunkException(
                source.path() + ": the group of chunk " + wanted.firstNumber + " is not there");
          }
          return reading.read(source, directory, group);
        });
  }
}
