package dev.holdfast.codingagent;

import dev.holdfast.agentkit.ActionRefusedException;
import dev.holdfast.agentkit.ActionRequest;
import dev.holdfast.agentkit.ActionResult;
import dev.holdfast.agentkit.PersonAskedException;
import dev.holdfast.agentkit.RootFolders;
import dev.holdfast.kit.JsonText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Has a coding agent do a task. What it asks for is asked of a person, and it goes on in the same
 * session when that was answered, when it was cut off, and with the next task of the chat thread.
 */
final class WorkAction {
  /** The answer to an approval that is a yes. */
  private static final String ALLOW = "Allow";

  private static final String CHANGED_FILE =
      "You are asked again: the file with all of the request was changed after it was written, so"
          + " the last approval did not count.\n";

  private static final int OUTPUT_UNITS_MAX = 200_000;

  private final InstalledProgram installed;
  private final CodingProgram program;
  private final ProgramSettings settings;
  private final RootFolders roots;
  private final Path own;
  private final RecordFolder tasks;
  private final RecordFolder threads;

  /**
   * Makes one.
   *
   * @param own the folder of the extension
   */
  WorkAction(InstalledProgram installed, ProgramSettings settings, RootFolders roots, Path own) {
    this.installed = installed;
    this.program = CodingProgram.of(installed, settings);
    this.settings = settings;
    this.roots = roots;
    this.own = own;
    this.tasks = tasksIn(own);
    this.threads = new RecordFolder(own.resolve("threads"));
  }

  static RecordFolder tasksIn(Path own) {
    return new RecordFolder(own.resolve("tasks"));
  }

  ActionResult run(ActionRequest request)
      throws ActionRefusedException, PersonAskedException, IOException, InterruptedException {
    TaskRecord record = found(request);
    if (record.isDone()) {
      return result(record);
    }
    Path folder = roots.folder(request.payload().text("folder", "")).path();
    String thread = JsonText.text(request.context(), "thread_id");
    String place = PermissionRequest.hash(installed.command() + "\n" + folder);
    String name = thread + "\n" + place;
    try (SessionLock lock =
        SessionLock.tryFor(own.resolve("locks").resolve(RecordFolder.fileName(name)))) {
      boolean isShared = !thread.isEmpty() && lock.isHeld();
      String earlier =
          isShared && !request.payload().flag("new_session")
              ? threads.find(name).map(each -> JsonText.text(each, "session")).orElse("")
              : "";
      Start start = start(request, record, earlier);
      Outcome outcome = runIn(start, request, folder);
      TaskRecord after = found(request).having(outcome.usage());
      if (isShared && !after.session().isEmpty()) {
        threads.put(name, Map.of("session", after.session()));
      }
      return switch (outcome) {
        case Outcome.Done(String text, _) -> {
          TaskRecord done = after.done(data(text, after));
          tasks.put(request.key(), done.written());
          yield result(done);
        }
        case Outcome.Asks(PermissionRequest wanted, _) -> {
          tasks.put(request.key(), after.written());
          throw new PersonAskedException(question(wanted, start, after, folder));
        }
        case Outcome.SessionLost _ ->
            throw new ActionRefusedException(
                ActionRefusedException.FAILED, "The coding agent made no session.");
      };
    }
  }

  /**
   * What a run begins with.
   *
   * @param prompt for the session
   * @param afresh for a new one, when the session is not to be had any more
   * @param notice for the person who is asked next; empty when there is none
   */
  private record Start(TaskRecord record, String prompt, String afresh, String notice) {
    Start(TaskRecord record, String prompt, String afresh) {
      this(record, prompt, afresh, "");
    }
  }

  private Start start(ActionRequest request, TaskRecord record, String earlier)
      throws ActionRefusedException {
    String task = request.payload().text("task");
    Map<String, Object> state = JsonText.map(request.input(), "state");
    String hash = JsonText.text(state, "hash");
    // With a further attempt the last answer comes again; by then it was passed on.
    if (!hash.isEmpty() && !record.permissions().isAnswered(hash)) {
      boolean isAllowed = ALLOW.equals(request.input().get("answer"));
      String title = JsonText.text(state, "title");
      String session = JsonText.text(state, "session");
      Permissions before = Permissions.read(state, "permissions");
      TaskRecord asking =
          new TaskRecord(
              record.session().isEmpty() ? session : record.session(),
              before,
              record.usage(),
              Map.of());
      Map<String, Object> file = JsonText.map(state, "file");
      if (isAllowed && !file.isEmpty() && !RequestFile.read(file).isUnchanged()) {
        String again =
            "Your request was neither allowed nor rejected: %s. Ask for exactly this again, unchanged, and go on with the task."
                .formatted(title);
        return new Start(asking, again, task, CHANGED_FILE);
      }
      TaskRecord answered = asking.allowing(before.with(hash, isAllowed));
      String said =
          isAllowed
              ? "A person has allowed exactly this: %s. Do it now, unchanged, and go on with the task."
              : "A person has rejected this: %s. Do not do it, nor the same in another way; go on"
                  + " with the rest of the task.";
      return new Start(answered, said.formatted(title), task);
    }
    if (!record.session().isEmpty()) {
      String said =
          "You were cut off while you worked on this task. Look at what you have done already, and"
              + " go on with the rest. The task is:\n\n"
              + task;
      return new Start(record, said, said);
    }
    return new Start(record.in(earlier), task, task);
  }

  private Outcome runIn(Start start, ActionRequest request, Path folder)
      throws ActionRefusedException, IOException, InterruptedException {
    tasks.put(request.key(), start.record().written());
    Outcome outcome = runOnce(start.record(), start.prompt(), request, folder);
    if (outcome instanceof Outcome.SessionLost) {
      TaskRecord anew = start.record().in("");
      tasks.put(request.key(), anew.written());
      return runOnce(anew, start.afresh(), request, folder);
    }
    return outcome;
  }

  private Outcome runOnce(TaskRecord record, String prompt, ActionRequest request, Path folder)
      throws ActionRefusedException, IOException, InterruptedException {
    Watching watching = new Watching(request, record);
    Outcome outcome =
        program.run(
            new Run(
                folder, record.session(), prompt, record.permissions(), limits(request), watching));
    watching.check();
    return outcome;
  }

  private TimeLimits limits(ActionRequest request) {
    long seconds = JsonText.whole(request.context(), "timeout_secs", Integer.MAX_VALUE);
    return TimeLimits.of(settings.idle(), Duration.ofSeconds(seconds));
  }

  private TaskRecord found(ActionRequest request) throws IOException {
    return tasks.find(request.key()).map(TaskRecord::read).orElse(TaskRecord.NEW);
  }

  /** Tells people what is done, and writes down the session before anything is done in it. */
  private final class Watching implements Run.Watcher {
    private final ActionRequest request;
    private final TaskRecord record;
    private final ProgressLabels labels;
    private @Nullable IOException failure;

    Watching(ActionRequest request, TaskRecord record) {
      this.request = request;
      this.record = record;
      this.labels = new ProgressLabels(request.progress());
    }

    @Override
    public void does(String label) {
      labels.does(label);
    }

    @Override
    public void waits() {
      labels.flush();
    }

    @Override
    public void knows(String session) {
      try {
        tasks.put(request.key(), record.in(session).written());
      } catch (IOException e) {
        failure = e;
      }
    }

    void check() throws IOException {
      if (failure != null) {
        throw failure;
      }
    }
  }

  private Map<String, Object> question(
      PermissionRequest wanted, Start start, TaskRecord record, Path folder) throws IOException {
    Map<String, Object> state = new LinkedHashMap<>();
    state.put("session", record.session());
    state.put("hash", wanted.hash());
    state.put("title", wanted.title());
    state.put("permissions", record.permissions().written());
    String question;
    if (PermissionQuestion.isCut(wanted)) {
      RequestFile file =
          RequestFile.write(own.resolve("requests"), PermissionQuestion.full(wanted));
      state.put("file", file.written());
      question = PermissionQuestion.ofBeginning(wanted, folder, file.path());
    } else {
      question = PermissionQuestion.ofAll(wanted, folder);
    }
    return Map.of("kind", "approval", "question", start.notice() + question, "state", state);
  }

  private Map<String, Object> data(String text, TaskRecord record) {
    Map<String, Object> data = new LinkedHashMap<>();
    data.put(
        "text",
        text.length() <= OUTPUT_UNITS_MAX ? text : text.substring(0, OUTPUT_UNITS_MAX) + "…");
    data.put("program", installed.kind().word());
    data.put("session", record.session());
    data.put("usage", record.usage().written());
    return data;
  }

  private static ActionResult result(TaskRecord record) {
    return new ActionResult(record.output(), JsonText.map(record.output(), "usage"));
  }

  /** What has become of a task that was cut off: what is not done is gone on with. */
  static ActionResult check(ActionRequest request, Path own)
      throws ActionRefusedException, IOException {
    String key = request.payload().text("idempotency_key", "");
    Map<String, Object> output =
        tasksIn(own).find(key).map(found -> TaskRecord.read(found).output()).orElse(Map.of());
    return ActionResult.of(
        output.isEmpty() ? Map.of("state", "not_done") : Map.of("state", "done", "output", output));
  }

  /** Makes the folder that is used when none is given. */
  static Path workspace(Path own) throws IOException {
    return Files.createDirectories(own.resolve("workspace"));
  }
}
