/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Pages of HTML for operators: {@link io.hdrf.html.Page}, and {@link io.hdrf.html.Html}, which
 * writes them.
 */
package io.hdrf.html;
