/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The page of a DataNode's web server that shows what HDRF does there: {@link
 * io.hdrf.datanode.page.PageServlet} serves it, {@link io.hdrf.datanode.page.StatusPage} draws a
 * {@link io.hdrf.datanode.page.Status}.
 */
package io.hdrf.datanode.page;
