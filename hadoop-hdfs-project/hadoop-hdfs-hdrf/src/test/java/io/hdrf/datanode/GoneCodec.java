/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode;

import org.apache.hadoop.io.compress.DefaultCodec;

/** A codec whose jar an operator may forget. */
public final class GoneCodec extends DefaultCodec {}
