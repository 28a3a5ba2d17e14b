package dev.holdfast.cli;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** What lets a shell complete commands and options. */
@Command(
    name = "completion",
    description = "Print the script that lets bash and zsh complete commands and options.",
    footer = {
      "",
      "Examples:",
      "  source <(holdfast completion)            in this shell, and in ~/.bashrc or ~/.zshrc",
      "  holdfast completion > /usr/share/bash-completion/completions/holdfast"
    })
final class CompletionCommand implements Callable<Integer> {
  private final RootCommand root;

  @Spec @Nullable CommandSpec spec;

  CompletionCommand(RootCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() {
    if (spec != null) {
      root.terminal().out().print(AutoComplete.bash("holdfast", spec.root().commandLine()));
    }
    return ExitCode.OK;
  }
}
