/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cluster;

/**
 * What the kernel counted on a network interface: whole frames, with Ethernet, IP and TCP headers,
 * as they are handed to the interface. Where the kernel leaves segmentation to the interface, up to
 * 64 KiB count as one frame with one set of headers.
 *
 * @param sentBytes by the host
 * @param receivedBytes by the host
 * @param sentFrames by the host
 * @param receivedFrames by the host
 */
public record LinkCounters(
    long sentBytes, long receivedBytes, long sentFrames, long receivedFrames) {

  /** Counted so far less what was counted at {@code before}. */
  public LinkCounters since(LinkCounters before) {
    return new LinkCounters(
        sentBytes - before.sentBytes,
        receivedBytes - before.receivedBytes,
        sentFrames - before.sentFrames,
        receivedFrames - before.receivedFrames);
  }
}
