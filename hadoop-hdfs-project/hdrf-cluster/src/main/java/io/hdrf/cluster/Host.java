/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cluster;

import java.util.List;
import java.util.stream.Stream;

/**
 * The host of a cluster's process. Immutable.
 *
 * @param address IPv4 address, in digits, that a daemon there listens on
 * @param command words in front of a program that make it run there, in the same process; may be
 *     empty
 */
public record Host(String address, List<String> command) {

  /** This machine, reached by loopback. */
  public static final Host LOOPBACK = new Host("127.0.0.1", List.of());

  /** Copies {@code command}. */
  public Host {
    command = List.copyOf(command);
  }

  /** Returns the same host, whose programs run by {@code outer} as well. */
  public Host under(List<String> outer) {
    return new Host(address, Stream.concat(outer.stream(), command.stream()).toList());
  }

  /** Returns the command line that runs {@code program} there. */
  public List<String> commandFor(List<String> program) {
    return Stream.concat(command.stream(), program.stream()).toList();
  }
}
