/* SPDX-License-Identifier: Apache-2.0 */
package io.hdrf.cli;

import java.util.List;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a chain for {@code hdrf test --crash}. */
final class CrashChain implements ITypeConverter<String> {

  /** Chains of the schemes that the crash tests have as plugins. */
  private static final List<String> CHAINS =
      List.of("lz4", "store", "store,lz4", "dedup", "dedup,lz4", "dedup,zstd");

  @Override
  public String convert(String value) {
    if (!CHAINS.contains(value)) {
      throw new TypeConversionException(
          "the crash test has no chain \"" + value + "\"; it has " + String.join(" and ", CHAINS));
    }
    return value;
  }
}
