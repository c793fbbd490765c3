/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What administrators may ask of a running DataNode: requests and answers as bytes, the client, and
 * who is an administrator.
 */
package io.hdrf.admin;
