/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Requests of administrators to a running DataNode: requests and answers as bytes, the client, and
 * who is an administrator.
 */
package io.hdrf.admin;
