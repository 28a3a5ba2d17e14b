package dev.holdfast.cli;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;

/** Which Holdfast this is. */
@Command(name = "version", description = "Print the version of Holdfast and of its Java.")
final class VersionCommand implements Callable<Integer> {
  private final RootCommand root;

  VersionCommand(RootCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() {
    if (root.json) {
      root.print(
          CliJson.object().put("version", version()).put("java", Runtime.version().toString()));
    } else {
      root.terminal().line(line());
    }
    return ExitCode.OK;
  }

  static String line() {
    return "holdfast " + version() + " (Java " + Runtime.version() + ")";
  }

  /** Stands in the jar's manifest; classes outside a jar have none. */
  static String version() {
    @Nullable String version = VersionCommand.class.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }
}
