/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Reading of reduced blocks at any position: runs of frames decoded ahead, and a cache of single
 * ones. For DataNodes and for clients, which bring along what they do about errors.
 */
package io.hdrf.read;
