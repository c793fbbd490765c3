/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class CallFormatTest {

  private final CallFormat format = new CallFormat(HdrfAdminProtocol.class);

  static Stream<Method> methods() {
    return Arrays.stream(HdrfAdminProtocol.class.getMethods());
  }

  private static Method method(String name) {
    return methods().filter(method -> method.getName().equals(name)).findFirst().orElseThrow();
  }

  private static Object sample(Class<?> type) {
    if (type == String.class) {
      return "\u00fc\0\ud83d\ude00";
    } else if (type == long.class) {
      return Long.MIN_VALUE;
    } else if (type == int.class) {
      return -7;
    } else if (type == double.class) {
      return 0.1;
    } else if (type == boolean.class) {
      return true;
    } else if (type == byte[].class) {
      return new byte[] {0, -1};
    } else if (type == String[].class) {
      return new String[] {"", "two\nlines"};
    }
    return null;
  }

  private static Object[] samples(Method method) {
    return Arrays.stream(method.getParameterTypes()).map(CallFormatTest::sample).toArray();
  }

  @Test
  void namesDiffer() {
    assertThat(methods().map(Method::getName)).doesNotHaveDuplicates();
  }

  @ParameterizedTest
  @MethodSource("methods")
  void everyCallAndResultIsReadAsItWasWritten(Method method) throws IOException {
    Object[] arguments = samples(method);
    CallFormat.Call call = format.decodeCall(format.encodeCall(method, arguments));
    assertThat(call.method()).isEqualTo(method);
    assertThat(call.arguments()).isEqualTo(arguments);
    Object result = sample(method.getReturnType());
    assertThat(format.decodeResult(method, format.encodeResult(method, result))).isEqualTo(result);
  }

  @ParameterizedTest
  @MethodSource("methods")
  void whatEndsEarlyOrLateIsRefused(Method method) throws IOException {
    byte[] call = format.encodeCall(method, samples(method));
    for (int length = 0; length < call.length; length++) {
      byte[] part = Arrays.copyOf(call, length);
      assertThatThrownBy(() -> format.decodeCall(part)).isInstanceOf(IOException.class);
    }
    assertThatThrownBy(() -> format.decodeCall(Arrays.copyOf(call, call.length + 1)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("1 bytes too many");
    byte[] result = format.encodeResult(method, sample(method.getReturnType()));
    for (int length = 0; length < result.length; length++) {
      byte[] part = Arrays.copyOf(result, length);
      assertThatThrownBy(() -> format.decodeResult(method, part)).isInstanceOf(IOException.class);
    }
  }

  @Test
  void nothingIsAllocatedForLengthsThatAreOnlyClaimed() {
    for (int length : new int[] {Integer.MAX_VALUE, -1}) {
      byte[] claimed = ByteBuffer.allocate(Integer.BYTES).putInt(length).array();
      for (String name : new String[] {"volumes", "records"}) {
        assertThatThrownBy(() -> format.decodeResult(method(name), claimed))
            .isInstanceOf(IOException.class)
            .hasMessageContaining("ends early");
      }
    }
  }

  @Test
  void callsOfOtherVersionsAreRefused() throws IOException {
    byte[] call = format.encodeCall(method("volumes"), null);
    byte[] later = call.clone();
    later[0] = 2;
    assertThatThrownBy(() -> format.decodeCall(later)).hasMessageContaining("version 2");
    byte[] unknown = format.encodeCall(method("volumes"), null);
    assertThatThrownBy(() -> new CallFormat(Runnable.class).decodeCall(unknown))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("knows no call volumes");
  }
}
