package dev.holdfast.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;

/** A command that only holds others. */
abstract class CommandGroup implements Callable<Integer> {
  final RootCommand root;
  private final String subcommands;

  /**
   * @param subcommands as a sentence names them, such as {@code audit list or verify}
   */
  CommandGroup(RootCommand root, String subcommands) {
    this.root = root;
    this.subcommands = subcommands;
  }

  @Override
  public final Integer call() throws CliException {
    throw new CliException(ExitCode.USAGE, "missing subcommand: holdfast " + subcommands);
  }

  /**
   * An id as a part of a path. An empty one, or dots, would lead to something else.
   *
   * @param what the id is of, for people
   */
  static String segment(String id, String what) throws CliException {
    if (id.isBlank() || id.equals(".") || id.equals("..")) {
      throw new CliException(
          ExitCode.USAGE,
          "'%s' is not the id of any %s: give one that list shows".formatted(id, what));
    }
    return ApiClient.encoded(id);
  }

  /**
   * Prints what the server answered as its JSON, or in words.
   *
   * @param words prints them
   * @return how the command ends
   */
  final int print(JsonNode answer, Runnable words) {
    if (root.json) {
      root.print(answer);
    } else {
      words.run();
    }
    return ExitCode.OK;
  }

  /**
   * Prints what the server answered as a table, or as its JSON.
   *
   * @param member of the answer: the list
   * @param none what is said when the list is empty
   * @return the rows of the table; empty when none was printed
   */
  final List<JsonNode> printList(
      JsonNode answer,
      String member,
      String none,
      List<String> headings,
      Function<JsonNode, List<String>> row) {
    if (root.json) {
      root.print(answer);
      return List.of();
    }
    List<JsonNode> rows = CliJson.items(answer, member);
    if (rows.isEmpty()) {
      root.terminal().line(none);
    } else {
      root.terminal().table(headings, rows.stream().map(row).toList());
    }
    return rows;
  }
}
