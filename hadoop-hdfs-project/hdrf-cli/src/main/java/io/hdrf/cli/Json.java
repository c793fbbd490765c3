/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** The output of commands with {@code --json}: one object, whose first field is its version. */
final class Json {

  /**
   * The version. It grows when a field is removed or changes its meaning; new fields may come at
   * any time.
   */
  static final int VERSION = 1;

  private static final ObjectMapper MAPPER =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  private Json() {}

  /** Returns an object for a whole answer. */
  static ObjectNode root() {
    return JsonNodeFactory.instance.objectNode().put("version", VERSION);
  }

  static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }

  static String text(JsonNode node) throws JsonProcessingException {
    return MAPPER.writeValueAsString(node);
  }
}
