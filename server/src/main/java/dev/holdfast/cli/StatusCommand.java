package dev.holdfast.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** How the server is. */
@Command(
    name = "status",
    description = "Show at a glance how the running server is doing.",
    footer = {
      "",
      "Exits with 0 if the server is ready, 1 if not, 74 if none responds.",
      "",
      "Example: holdfast status --json"
    })
final class StatusCommand implements Callable<Integer> {
  private static final long DAY_SECS = 86_400;

  private final RootCommand root;

  StatusCommand(RootCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() throws CliException, InterruptedException {
    JsonNode status = root.json ? root.ask(StatusCommand::status) : show();
    if (root.json) {
      root.print(status);
    }
    return status.path("ready").asBoolean() ? ExitCode.OK : ExitCode.NOT_GOOD;
  }

  private JsonNode show() throws CliException, InterruptedException {
    StatusText text = root.ask(StatusCommand::gather);
    text.print(root.terminal(), root.serverUrl(), root.environment.time().now());
    return text.status();
  }

  private static StatusText gather(ApiClient api)
      throws ApiClient.UnavailableException, ApiClient.RefusedException, InterruptedException {
    return new StatusText(
        status(api),
        part(api, "/api/v1/mode"),
        part(api, "/api/v1/approvals"),
        part(api, IncidentsCommand.PATH + "?state=open&limit=1"),
        part(api, DlqCommand.PATH + "?limit=1"),
        part(api, UsageCommand.PATH + DAY_SECS),
        part(api, BreakersCommand.PATH),
        part(api, ChannelsCommand.CALLS),
        part(api, PluginsCommand.CALLS));
  }

  private static JsonNode status(ApiClient api)
      throws ApiClient.UnavailableException, ApiClient.RefusedException, InterruptedException {
    return api.get("/api/v1/status");
  }

  /** Empty when the token may not see it: the rest is still worth showing. */
  private static JsonNode part(ApiClient api, String path)
      throws ApiClient.UnavailableException, InterruptedException {
    try {
      return api.get(path);
    } catch (ApiClient.RefusedException _) {
      return CliJson.object();
    }
  }
}
