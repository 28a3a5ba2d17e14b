package dev.holdfast.cli;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The command line that nearly every server is started with. To build the parser of all commands
 * takes a sixth of the time to be ready; what is not understood here at a glance is left to it.
 */
final class FastRunParser {
  private static final Set<String> WITH_VALUE = Set.of("--config", "--data");
  private static final Set<String> ALONE = Set.of("--strict", "--take-over");

  /** What {@link Logs} has read before. */
  private static final Set<String> LOG = Set.of("text", "json");

  private FastRunParser() {}

  /** Empty: not of the plain form; nothing is said about whether it is right. */
  static Optional<RunOptions> of(String[] args, Map<String, String> environment) {
    if (args.length == 0 || !args[0].equals("run")) {
      return Optional.empty();
    }
    Map<String, Path> values = new HashMap<>();
    Set<String> flags = new HashSet<>();
    for (int i = 1; i < args.length; i++) {
      boolean understood;
      if (WITH_VALUE.contains(args[i]) && i + 1 < args.length && isPlain(args[i + 1])) {
        understood = values.put(args[i], Path.of(args[i + 1])) == null;
        i++;
      } else if (args[i].equals("--log") && i + 1 < args.length && LOG.contains(args[i + 1])) {
        understood = flags.add(args[i]);
        i++;
      } else {
        understood = ALONE.contains(args[i]) && flags.add(args[i]);
      }
      if (!understood) {
        return Optional.empty();
      }
    }
    Optional<Path> config =
        Optional.ofNullable(values.get("--config"))
            .or(() -> Optional.ofNullable(RootCommand.namedConfig(environment)));
    return Optional.of(
        new RunOptions(
            config.orElse(RootCommand.CONFIG),
            config.isPresent(),
            Optional.ofNullable(values.get("--data")),
            flags.contains("--strict"),
            flags.contains("--take-over"),
            environment));
  }

  /** A path without any sign that the parser might read in its own way. */
  private static boolean isPlain(String value) {
    return value.matches("[A-Za-z0-9/._][A-Za-z0-9/._-]*");
  }
}
