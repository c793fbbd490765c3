/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cluster;

/**
 * The kernel's counters of a network interface: whole frames, with Ethernet, IP and TCP headers, as
 * they are passed to the interface. Where the kernel leaves segmentation to the interface, up to 64
 * KiB count as one frame with one set of headers.
 *
 * @param sentBytes by the host
 * @param receivedBytes by the host
 * @param sentFrames by the host
 * @param receivedFrames by the host
 */
public record LinkCounters(
    long sentBytes, long receivedBytes, long sentFrames, long receivedFrames) {

  /** Returns the counts so far less those at {@code before}. */
  public LinkCounters since(LinkCounters before) {
    return new LinkCounters(
        sentBytes - before.sentBytes,
        receivedBytes - before.receivedBytes,
        sentFrames - before.sentFrames,
        receivedFrames - before.receivedFrames);
  }
}
