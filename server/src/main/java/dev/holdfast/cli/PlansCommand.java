package dev.holdfast.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Work that is given to worker agents. */
@Command(name = "plans", description = "Give work to worker agents, see it, and cancel it.")
final class PlansCommand extends CommandGroup {
  private static final String PATH = "/api/v1/plans";
  private static final Duration LOOK = Duration.ofMillis(300);

  PlansCommand(RootCommand root) {
    super(root, "plans list, show, run or cancel");
  }

  @Command(
      name = "list",
      description = "List the plans that have not ended, the newest first.",
      footer = {"", "Example: holdfast plans list --all"})
  int list(
      @Option(names = "--all", description = "Those that have ended, too.") boolean all,
      @Option(
              names = "--thread",
              paramLabel = "THREAD",
              defaultValue = "",
              description = "Only this chat thread's: an id, or the name of a web thread.")
          String thread,
      @Option(
              names = "--limit",
              paramLabel = "N",
              defaultValue = "50",
              description = "The most to list. Default: ${DEFAULT-VALUE}.")
          int limit)
      throws CliException, InterruptedException {
    String path =
        PATH
            + "?limit="
            + limit
            + (all ? "&state=all" : "&state=open")
            + (thread.isEmpty() ? "" : "&thread=" + ApiClient.encoded(thread));
    printList(
        root.ask(api -> api.get(path)),
        "plans",
        "no plans",
        List.of("PLAN", "STATE", "STEPS", "MADE", "GOAL", "REASON"),
        PlansCommand::row);
    return ExitCode.OK;
  }

  private static List<String> row(JsonNode plan) {
    return List.of(
        CliJson.text(plan, "plan_id"),
        CliJson.text(plan, "state"),
        CliJson.text(plan, "steps_ended") + "/" + CliJson.text(plan, "steps_total"),
        Formats.day(plan.path("made_at")),
        CliJson.text(plan, "goal"),
        CliJson.text(plan, "reason"));
  }

  @Command(
      name = "show",
      description = "Show a plan: each step, what it waits for, and what it answered.",
      footer = {"", "Example: holdfast plans show 3f9a01c2-b4d5-4e6f-8a9b-0c1d2e3f4a5b --moves"})
  int show(
      @Parameters(paramLabel = "PLAN", description = "Its id, as list shows it.") String id,
      @Option(names = "--moves", description = "Each move with its time, too.") boolean moves)
      throws CliException, InterruptedException {
    String path = path(id);
    JsonNode plan = root.ask(api -> api.get(path));
    return print(plan, () -> printPlan(plan, moves));
  }

  private void printPlan(JsonNode plan, boolean moves) {
    PlanText text = new PlanText(plan);
    Terminal terminal = root.terminal();
    text.head().forEach(terminal::line);
    terminal.table(PlanText.STEP_HEADINGS, text.steps());
    text.outputs().forEach(output -> terminal.line("output of " + output));
    if (moves) {
      text.moves().forEach(terminal::line);
    }
  }

  @Command(
      name = "run",
      description = {
        "Have a worker agent do one step, or several from a file.",
        "It runs at once, without asking for approval."
      },
      footer = {
        "",
        "Exit code 1 if it does not succeed within --wait.",
        "Example: holdfast plans run --agent files --action list --payload '{\"path\":\".\"}'"
      })
  int run(
      @Option(
              names = {"-f", "--file"},
              paramLabel = "FILE",
              description = "The plan as JSON, as POST /api/v1/plans takes it.")
          @Nullable String file,
      @Option(names = "--agent", paramLabel = "AGENT", description = "Who does it.")
          @Nullable String agent,
      @Option(names = "--action", paramLabel = "ACTION", description = "What it does.")
          @Nullable String action,
      @Option(
              names = "--payload",
              paramLabel = "JSON",
              description = "A JSON object, or @FILE with one. Default: {}.")
          @Nullable String payload,
      @Option(names = "--goal", paramLabel = "TEXT", description = "What it is for.")
          @Nullable String goal,
      @Option(
              names = "--wait",
              paramLabel = "SECS",
              defaultValue = "60",
              description = "How long to wait for its end. Default: ${DEFAULT-VALUE}.")
          long waitSecs)
      throws CliException, InterruptedException {
    ObjectNode body = body(file, agent, action, payload);
    if (goal != null) {
      body.put("goal", goal);
    }
    JsonNode plan = awaitEnd(root.ask(api -> api.post(PATH, body)), waitSecs);
    PlanText text = new PlanText(plan);
    int _ = print(plan, () -> printPlan(plan, false));
    if (!text.hasEnded()) {
      String id = CliJson.text(plan, "plan_id");
      root.terminal().note("it goes on: holdfast plans show " + id);
      return waitSecs <= 0 ? ExitCode.OK : ExitCode.NOT_GOOD;
    }
    return text.hasSucceeded() ? ExitCode.OK : ExitCode.NOT_GOOD;
  }

  private ObjectNode body(
      @Nullable String file,
      @Nullable String agent,
      @Nullable String action,
      @Nullable String payload)
      throws CliException {
    if (file != null) {
      if (agent != null || action != null || payload != null) {
        throw new CliException(
            ExitCode.USAGE, "give either --file, or --agent with --action and --payload");
      }
      ObjectNode body = object(text(file), file);
      body.remove("wait_secs"); // --wait is what holds here
      return body;
    }
    if (agent == null || action == null) {
      throw new CliException(ExitCode.USAGE, "give --agent and --action, or --file");
    }
    ObjectNode body = CliJson.object().put("agent", agent).put("action", action);
    if (payload != null) {
      String json = payload.startsWith("@") ? text(payload.substring(1)) : payload;
      body.set("payload", object(json, "--payload"));
    }
    return body;
  }

  private String text(String file) throws CliException {
    try {
      return Files.readString(root.environment.folder().resolve(file));
    } catch (IOException _) {
      throw new CliException(ExitCode.USAGE, file + " cannot be read: is the path right?");
    }
  }

  private static ObjectNode object(String json, String source) throws CliException {
    try {
      if (CliJson.parse(json) instanceof ObjectNode object) {
        return object;
      }
    } catch (JsonProcessingException _) {
      // Said below.
    }
    throw new CliException(ExitCode.USAGE, source + " holds no JSON object");
  }

  private JsonNode awaitEnd(JsonNode made, long waitSecs)
      throws CliException, InterruptedException {
    String path = path(CliJson.raw(made, "plan_id"));
    long deadline = root.environment.time().nanos() + TimeUnit.SECONDS.toNanos(waitSecs);
    JsonNode plan = made;
    while (!new PlanText(plan).hasEnded() && root.environment.time().nanos() < deadline) {
      root.terminal().progress(new PlanText(plan).progress());
      root.environment.time().sleep(LOOK);
      plan = root.ask(api -> api.get(path));
    }
    root.terminal().clearProgress();
    return plan;
  }

  @Command(
      name = "cancel",
      description = "End a plan and what runs for it.",
      footer = {"", "Example: holdfast plans cancel 3f9a01c2-b4d5-4e6f-8a9b-0c1d2e3f4a5b"})
  int cancel(@Parameters(paramLabel = "PLAN", description = "Its id, as list shows it.") String id)
      throws CliException, InterruptedException {
    String path = path(id) + "/cancel";
    JsonNode plan = root.ask(api -> api.post(path, CliJson.object()));
    return print(
        plan,
        () -> root.terminal().line(VisibleText.line(id) + " is " + CliJson.text(plan, "state")));
  }

  private static String path(String id) throws CliException {
    return PATH + "/" + segment(id, "plan");
  }
}
