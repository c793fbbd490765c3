/* SPDX-License-Identifier: Apache-2.0 */
/**
 * HDFS daemons as separate processes on loopback: started, measured, stopped and killed. Linux only
 * ({@code /proc}, {@code find -printf}, {@code setsid}). Nothing here loads a Hadoop class: what a
 * daemon knows is asked over HTTP at {@code /jmx}.
 */
package io.hdrf.cluster;
