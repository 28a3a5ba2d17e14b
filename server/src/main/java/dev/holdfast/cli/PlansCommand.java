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
@Command(name = "plans", description = "Give work to worker agents, watch it, and cancel it.")
final class PlansCommand extends CommandGroup {
  static final String PATH = "/api/v1/plans";
  private static final String TASKS = "/api/v1/tasks";
  private static final Duration LOOK = Duration.ofMillis(300);

  PlansCommand(RootCommand root) {
    super(root, "plans list, show, run, waiting, answer, retry or cancel");
  }

  @Command(
      name = "list",
      description = "List the plans that have not ended, newest first.",
      footer = {"", "Example: holdfast plans list --all"})
  int list(
      @Option(names = "--all", description = "Include those that have ended.") boolean all,
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
      @Parameters(
              paramLabel = "PLAN",
              description = "Its id, as list shows it, or its code, as /plans shows it in a chat.")
          String id,
      @Option(names = "--moves", description = "Include each change of state with its time.")
          boolean moves)
      throws CliException, InterruptedException {
    String path = path(id);
    JsonNode plan = root.ask(api -> api.get(path));
    return print(plan, () -> new PlanText(plan).print(root.terminal(), moves));
  }

  @Command(
      name = "run",
      description = {
        "Have worker agents do one step, or several from a file.",
        "They run at once, without asking for approval."
      },
      footer = {
        "",
        "Exits with 1 if the plan does not succeed within --wait.",
        "Example: holdfast plans run --agent files --action list --payload '{\"path\":\".\"}'"
      })
  int run(
      @Option(
              names = {"-f", "--file"},
              paramLabel = "FILE",
              description = "The plan as JSON, as POST /api/v1/plans accepts it.")
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
      @Option(
              names = "--goal",
              paramLabel = "TEXT",
              description = "What it is for; if given alone, a model writes the steps.")
          @Nullable String goal,
      @Option(
              names = "--wait",
              paramLabel = "SECS",
              defaultValue = "60",
              description = "How long to wait for the plan to end. Default: ${DEFAULT-VALUE}.")
          long waitSecs)
      throws CliException, InterruptedException {
    ObjectNode body = body(file, agent, action, payload, goal != null);
    if (goal != null) {
      body.put("goal", goal);
    }
    JsonNode plan = awaitEnd(root.ask(api -> api.post(PATH, body)), waitSecs);
    PlanText text = new PlanText(plan);
    int _ = print(plan, () -> text.print(root.terminal(), false));
    if (!text.hasEnded()) {
      String id = CliJson.text(plan, "plan_id");
      root.terminal().note("it is still running: holdfast plans show " + id);
      return waitSecs <= 0 ? ExitCode.OK : ExitCode.NOT_GOOD;
    }
    return text.hasSucceeded() ? ExitCode.OK : ExitCode.NOT_GOOD;
  }

  private ObjectNode body(
      @Nullable String file,
      @Nullable String agent,
      @Nullable String action,
      @Nullable String payload,
      boolean goal)
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
    if (agent == null && action == null && payload == null && goal) {
      return CliJson.object(); // a model writes the steps
    }
    if (agent == null || action == null) {
      throw new CliException(
          ExitCode.USAGE, "give --agent and --action, or --file, or --goal alone");
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
    throw new CliException(ExitCode.USAGE, source + " does not contain a JSON object");
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
      description = "Cancel a plan and its running tasks.",
      footer = {"", "Example: holdfast plans cancel 3f9a01c2-b4d5-4e6f-8a9b-0c1d2e3f4a5b"})
  int cancel(@Parameters(paramLabel = "PLAN", description = "Its id, as list shows it.") String id)
      throws CliException, InterruptedException {
    String path = path(id) + "/cancel";
    JsonNode plan = root.ask(api -> api.post(path, CliJson.object()));
    return print(
        plan,
        () -> root.terminal().line(VisibleText.line(id) + " is " + CliJson.text(plan, "state")));
  }

  @Command(
      name = "waiting",
      description = "List what agents have asked people, oldest first.",
      footer = {"", "Example: holdfast plans waiting"})
  int waiting() throws CliException, InterruptedException {
    printList(
        root.ask(api -> api.get(TASKS + "?state=awaiting_input&limit=1000")),
        "tasks",
        "nothing is waiting for an answer",
        List.of("TASK", "KIND", "AGENT", "UNTIL", "QUESTION", "CHOICES"),
        task -> {
          JsonNode input = task.path("input");
          return List.of(
              CliJson.text(task, "task_id"),
              CliJson.text(input, "kind"),
              CliJson.text(task, "agent"),
              Formats.day(input.path("deadline")),
              Formats.brief(CliJson.text(input, "question"), PlanText.QUESTION_SHOWN),
              Formats.brief(PlanText.choices(input), PlanText.QUESTION_SHOWN));
        });
    return ExitCode.OK;
  }

  @Command(
      name = "answer",
      description = {
        "Answer the question of a task's agent.",
        "Without TEXT, the answer is read from standard input, which keeps a credential out of the"
            + " history."
      },
      footer = {"", "Example: holdfast plans answer 3f9a01c2-b4d5-4e6f-8a9b-0c1d2e3f4a5b Allow"})
  int answer(
      @Parameters(index = "0", paramLabel = "TASK", description = "Its id, as waiting shows it.")
          String id,
      @Parameters(index = "1", arity = "0..1", paramLabel = "TEXT", description = "The answer.")
          @Nullable String text)
      throws CliException, InterruptedException {
    String path = task(id) + "/input";
    ObjectNode body = CliJson.object().put("answer", text == null ? standardInput() : text);
    JsonNode task = root.ask(api -> api.post(path, body));
    return print(
        task,
        () -> root.terminal().line("passed on: step " + CliJson.text(task, "name") + " goes on"));
  }

  private String standardInput() throws CliException {
    try {
      return root.environment.in().readAllAsString().strip();
    } catch (IOException e) {
      throw new CliException(ExitCode.USAGE, "standard input cannot be read: " + e.getMessage());
    }
  }

  @Command(
      name = "retry",
      description = {
        "Try again what a plan did not reach, given one of its steps that is a dead letter.",
        "A new plan takes over what succeeded and runs the other steps."
      },
      footer = {"", "Example: holdfast plans retry 3f9a01c2-b4d5-4e6f-8a9b-0c1d2e3f4a5b"})
  int retry(
      @Parameters(
              paramLabel = "TASK",
              description = "The id of a step, as dlq list --kind task shows it.")
          String id)
      throws CliException, InterruptedException {
    String path = task(id) + "/retry";
    JsonNode plan = root.ask(api -> api.post(path, CliJson.object()));
    return print(
        plan, () -> root.terminal().line("plan " + CliJson.text(plan, "plan_id") + " runs"));
  }

  private static String task(String id) throws CliException {
    return TASKS + "/" + segment(id, "task");
  }

  private static String path(String id) throws CliException {
    return PATH + "/" + segment(id, "plan");
  }
}
