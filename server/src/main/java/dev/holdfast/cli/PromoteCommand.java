package dev.holdfast.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** An operator's word that the original of a restored copy runs no more. */
@Command(
    name = "promote",
    description = "Let a restored copy take the place of its original.",
    footer = {
      "",
      "Only once the original has stopped for good. The running copy then connects its channels,",
      "answers what is open, posts the replies that wait and fires its wake-ups.",
      "",
      "Examples:",
      "  holdfast promote",
      "  holdfast promote --discard"
    })
final class PromoteCommand implements Callable<Integer> {
  private final RootCommand root;

  @Option(
      names = "--discard",
      description = "Put what is open into the dead letters, in place of answering and posting it.")
  boolean discard;

  PromoteCommand(RootCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() throws CliException, InterruptedException {
    JsonNode done =
        root.ask(
            api ->
                api.post(
                    "/api/v1/promote", CliJson.object().put("open", discard ? "discard" : "send")));
    if (root.json) {
      root.print(done);
    } else if (!done.path("changed").asBoolean()) {
      root.terminal().line("nothing has changed: this server is no restored copy");
    } else {
      root.terminal().line("promoted: this server takes the place of the original now");
      if (discard) {
        root.terminal()
            .line(
                "%d messages and %d replies are dead letters: holdfast dlq list"
                    .formatted(
                        done.path("discarded_messages").asInt(),
                        done.path("discarded_replies").asInt()));
      }
    }
    return ExitCode.OK;
  }
}
