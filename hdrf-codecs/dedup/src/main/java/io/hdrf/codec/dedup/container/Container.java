/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.codec.dedup.container;

import java.io.IOException;

/** A container that a store knows of. */
final class Container {

  private final long id;

  /** Held while the container is rewritten, deleted or verified; never while chunks are read. */
  private final Object maintenance = new Object();

  /** Held while the directory is read, so that several readers don't do it at once. */
  private final Object loading = new Object();

  /** Null as soon as the container is sealed. */
  private volatile OpenContainer open;

  /** The content of the footer; null if it was not read since the file changed. */
  private volatile ContainerInfo info;

  /** The reason why an open container that was found at start could not be recovered, or null. */
  private volatile IOException problem;

  /** Whether it was open when an earlier process ended. */
  private volatile boolean foundOpen;

  /** Whether its header, or one of a group, is known to be damaged. */
  private volatile boolean headerDamaged;

  /** Whether what lacks a fingerprint in the directory will get none, by what is known now. */
  private volatile boolean fingerprintsFinal;

  /** The number of times that the file was replaced; guarded by the cache. */
  private int generation;

  Container(long id) {
    this.id = id;
  }

  long id() {
    return id;
  }

  Object maintenance() {
    return maintenance;
  }

  Object loading() {
    return loading;
  }

  OpenContainer open() {
    return open;
  }

  void setOpen(OpenContainer value) {
    open = value;
  }

  /** Whether no appender has it any more, and nothing is wrong with all of it. */
  boolean isSealed() {
    return open == null && problem == null;
  }

  ContainerInfo info() {
    return info;
  }

  void setInfo(ContainerInfo value) {
    info = value;
  }

  IOException problem() {
    return problem;
  }

  void setProblem(IOException value) {
    problem = value;
  }

  boolean wasFoundOpen() {
    return foundOpen;
  }

  void setFoundOpen(boolean is) {
    foundOpen = is;
  }

  boolean areFingerprintsFinal() {
    return fingerprintsFinal;
  }

  void setFingerprintsFinal(boolean is) {
    fingerprintsFinal = is;
  }

  boolean isHeaderDamaged() {
    return headerDamaged;
  }

  void setHeaderDamaged(boolean value) {
    headerDamaged = value;
  }

  int generation() {
    return generation;
  }

  void nextGeneration() {
    generation++;
  }
}
