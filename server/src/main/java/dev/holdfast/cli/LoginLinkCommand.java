package dev.holdfast.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** A way into the page for somebody who has the token but no link. */
@Command(
    name = "login-link",
    description = "Print a link that logs a browser in to the chat page, once, within 10 minutes.",
    footer = {"", "Example: holdfast login-link"})
final class LoginLinkCommand implements Callable<Integer> {
  private final RootCommand root;

  LoginLinkCommand(RootCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() throws CliException, InterruptedException {
    JsonNode answer = root.ask(api -> api.post("/api/v1/login-links", CliJson.object()));
    if (root.json) {
      root.print(answer);
    } else {
      root.terminal().line(CliJson.text(answer, "url"));
    }
    return ExitCode.OK;
  }
}
