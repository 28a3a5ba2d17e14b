package dev.holdfast.cli;

import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** All commands as one page for {@code man}, in the macros of man(7). */
final class ManualPage {
  private final StringBuilder page = new StringBuilder();

  private ManualPage() {}

  static String of(CommandSpec root, String version) {
    ManualPage manual = new ManualPage();
    manual.write(root, version);
    return manual.page.toString();
  }

  private void write(CommandSpec root, String version) {
    line(
        ".TH %s 1 \"\" \"Holdfast %s\" \"User Commands\"".formatted(upper(root), escaped(version)));
    section("NAME");
    line(root.name() + " \\- " + escaped(described(root)));
    section("SYNOPSIS");
    line("\\fB" + root.name() + "\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR]");
    section("DESCRIPTION");
    text("The options below are those of every command. A command's own are with the command.");
    section("OPTIONS");
    root.options().forEach(this::option);
    section("COMMANDS");
    root.subcommands().values().forEach(this::command);
    section("NOTES");
    footer(root);
  }

  private static String upper(CommandSpec root) {
    return root.name().toUpperCase(java.util.Locale.ROOT);
  }

  private void command(CommandLine line) {
    CommandSpec command = line.getCommandSpec();
    if (!line.getSubcommands().isEmpty()) {
      line.getSubcommands().values().forEach(this::command);
      return;
    }
    String places =
        command.positionalParameters().stream()
            .map(ArgSpec::paramLabel)
            .collect(Collectors.joining(" "));
    line(".SS \"" + escaped((command.qualifiedName() + " " + places).strip()) + "\"");
    text(described(command));
    command.positionalParameters().forEach(this::place);
    command.options().forEach(this::option);
    footer(command);
  }

  private void place(PositionalParamSpec place) {
    item("\\fI" + escaped(place.paramLabel()) + "\\fR", place);
  }

  /** Those that every command inherits are told once. */
  private void option(OptionSpec option) {
    if (option.hidden() || option.inherited()) {
      return;
    }
    String names =
        List.of(option.names()).stream()
            .map(name -> "\\fB" + escaped(name) + "\\fR")
            .collect(Collectors.joining(", "));
    String value = option.arity().max() == 0 ? "" : " \\fI" + escaped(option.paramLabel()) + "\\fR";
    item(names + value, option);
  }

  private void item(String head, ArgSpec of) {
    line(".TP");
    line(head);
    text(String.join(" ", of.description()));
  }

  private static String described(CommandSpec command) {
    return String.join(" ", command.usageMessage().description());
  }

  private void footer(CommandSpec command) {
    String[] footer = command.usageMessage().footer();
    if (footer.length == 0) {
      return;
    }
    line(".PP");
    line(".nf");
    List.of(footer).stream().skip(footer[0].isEmpty() ? 1 : 0).forEach(this::text);
    line(".fi");
  }

  private void section(String name) {
    line(".SH \"" + name + "\"");
  }

  /** A line that is no macro, whatever it begins with. */
  private void text(String text) {
    String escaped = escaped(text);
    line(escaped.startsWith(".") || escaped.startsWith("'") ? "\\&" + escaped : escaped);
  }

  private void line(String line) {
    page.append(line).append('\n');
  }

  private static String escaped(String text) {
    return text.replace("\\", "\\e")
        .replace("-", "\\-")
        .replace("\"", "\\(dq")
        .replace("'", "\\(aq");
  }
}
