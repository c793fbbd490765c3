/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The {@code hdrf} command. Results go to standard output, progress and messages to standard error.
 */
package io.hdrf.cli;
