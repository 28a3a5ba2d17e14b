package dev.holdfast.cli;

import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The same as {@code --help}. Picocli's own has options that those of every command forbid. */
@Command(
    name = "help",
    description = "Show the help of a command, or list all commands.",
    footer = {"", "Example: holdfast help dlq replay"})
final class HelpCommand implements Callable<Integer> {
  private final RootCommand root;

  @Spec @Nullable CommandSpec spec;

  @Parameters(paramLabel = "COMMAND", arity = "0..*", description = "A command, or none.")
  @Nullable List<String> words;

  HelpCommand(RootCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() throws CliException {
    if (spec == null) {
      return ExitCode.BUG;
    }
    CommandLine command = spec.root().commandLine();
    for (String word : words == null ? List.<String>of() : words) {
      @Nullable CommandLine next = command.getSubcommands().get(word);
      if (next == null) {
        throw new CliException(
            ExitCode.USAGE,
            "there is no command "
                + word
                + ": see "
                + command.getCommandSpec().qualifiedName()
                + " --help");
      }
      command = next;
    }
    command.usage(root.terminal().out(), command.getColorScheme());
    return ExitCode.OK;
  }
}
