/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.datanode.page;

import io.hdrf.html.Page;
import java.io.IOException;
import java.util.function.Supplier;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.apache.hadoop.http.HttpServer2;

/**
 * Serves the page, from memory alone: the DataNode's web server has one thread, which no hung disk
 * may hold. Behind the filters of the DataNode's web server, and to those who may see its {@code
 * /jmx}: the figures are the same. Changes nothing. The DataNode's context has the {@link Status}
 * as {@link #STATUS}.
 */
public final class PageServlet extends HttpServlet {

  /** The attribute with a {@code Supplier<Status>}. */
  public static final String STATUS = "io.hdrf.status";

  /** Where it is. */
  public static final String PATH = "/hdrf";

  private static final long serialVersionUID = 1L;

  /** Only a header can say that no other page may show this one in a frame. */
  private static final String POLICY = Page.POLICY + "; frame-ancestors 'none'";

  /** What a reader sent is not given back. */
  @Override
  protected void doTrace(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    response.sendError(HttpServletResponse.SC_METHOD_NOT_ALLOWED);
  }

  @Override
  protected void doGet(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    if (!HttpServer2.isInstrumentationAccessAllowed(getServletContext(), request, response)) {
      return;
    }
    Supplier<?> status = (Supplier<?>) getServletContext().getAttribute(STATUS);
    if (status == null) {
      response.sendError(HttpServletResponse.SC_SERVICE_UNAVAILABLE);
      return;
    }
    response.setContentType("text/html; charset=utf-8");
    response.setHeader("Content-Security-Policy", POLICY);
    response.setHeader("X-Content-Type-Options", "nosniff");
    response.setHeader("Referrer-Policy", "no-referrer");
    response.setHeader("Cache-Control", "no-store");
    response.getWriter().write(new StatusPage((Status) status.get()).render());
  }
}
