package dev.holdfast.processes;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What the server itself was given: a child may get less but not more, and asking for more would
 * fail.
 */
record HardLimits(Map<String, Long> byName) {
  private static final Pattern LINE = Pattern.compile("(Max [a-z ]+?)\\s{2,}\\S+\\s+(\\d+)\\s.*");

  static HardLimits own() {
    Map<String, Long> byName = new HashMap<>();
    try (Stream<String> lines = Files.lines(Path.of("/proc/self/limits"))) {
      lines
          .map(LINE::matcher)
          .filter(Matcher::matches)
          .forEach(found -> byName.put(found.group(1), Long.parseLong(found.group(2))));
    } catch (IOException | UncheckedIOException _) {
      return new HardLimits(Map.of()); // then what is asked for is tried
    }
    return new HardLimits(Map.copyOf(byName));
  }

  /**
   * @param name as in /proc/self/limits, for example {@code Max open files}
   */
  long atMost(String name, long asked) {
    return Math.min(asked, byName.getOrDefault(name, Long.MAX_VALUE));
  }
}
