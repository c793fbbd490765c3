/* SPDX-License-Identifier: Apache-2.0 */
/** HDRF's settings, checked once at start, with messages that name the key and what is accepted. */
package io.hdrf.conf;
