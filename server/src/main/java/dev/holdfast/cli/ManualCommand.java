package dev.holdfast.cli;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The man page. */
@Command(
    name = "manual",
    description = "Print the man page: every command with its options and examples.",
    footer = {
      "",
      "Examples:",
      "  holdfast manual | man -l -",
      "  holdfast manual > /usr/share/man/man1/holdfast.1"
    })
final class ManualCommand implements Callable<Integer> {
  private final RootCommand root;

  @Spec @Nullable CommandSpec spec;

  ManualCommand(RootCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() {
    if (spec != null) {
      root.terminal().out().print(ManualPage.of(spec.root(), VersionCommand.version()));
    }
    return ExitCode.OK;
  }
}
