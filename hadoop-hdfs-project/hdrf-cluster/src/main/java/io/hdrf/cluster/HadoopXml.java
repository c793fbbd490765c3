/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Writes Hadoop's {@code *-site.xml}. */
final class HadoopXml {
  private HadoopXml() {}

  static void write(Path file, Map<String, String> properties) throws IOException {
    StringBuilder xml = new StringBuilder("<?xml version=\"1.0\"?>\n<configuration>\n");
    properties.forEach(
        (name, value) ->
            xml.append("  <property><name>")
                .append(escape(name))
                .append("</name><value>")
                .append(escape(value))
                .append("</value></property>\n"));
    Files.writeString(file, xml.append("</configuration>\n"));
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
