package dev.holdfast.tests.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * An extension whose program does what each payload says, and writes down each time that it is
 * started: {@code say} is answered, {@code sleep} are seconds before that in the first attempt,
 * {@code code} an error, {@code exit} an exit code, {@code raw} what is written in place of an
 * answer, {@code ask} what it wants to know first, {@code marks} how far it comes before it sleeps,
 * {@code die} and {@code hang} what becomes of it then. {@code first} holds what is true of the
 * first attempt alone. What is written down is synced.
 *
 * @param id of the extension, and so of the worker agent
 */
public record AgentScript(ServerRig rig, String id) {
  private static final String PROGRAM =
      """
      import json, os, sys, time
      request = json.load(sys.stdin)
      payload = request["payload"]
      first = request["context"].get("attempt", 1) == 1
      payload.update(payload.get("first", {}) if first else {})
      def note(name, line):
          with open(name, "a") as file:
              file.write(line + "\\n")
              file.flush()
              os.fsync(file.fileno())
      note("runs.txt", request["action"] + " " + str(request["task_id"]))
      def marks():
          try:
              with open("marks.txt") as kept:
                  return kept.read().split()
          except FileNotFoundError:
              return []
      def mark(word):
          note("marks.txt", word)
      if request["action"] in ("check", "rollback"):
          key = payload["idempotency_key"]
          if request["action"] == "rollback":
              mark("undone-" + key)
              payload["say"] = "undone"
          else:
              of = [word.split("-", 1)[0] for word in marks() if word.endswith(key)]
              last = of[-1] if of else "undone"
              payload["say"] = {"state": {"half": "half", "done": "done", "undone": "not_done"}[last],
                                "output": "found"}
      if payload.get("marks"):
          mark("half-" + request["task_id"])
          if payload["marks"] == "done":
              mark("done-" + request["task_id"])
      if payload.get("die"):
          os.kill(os.getpid(), 9)
          os._exit(137)
      time.sleep(3600 if payload.get("hang") else payload.get("sleep", 0) if first else 0)
      if "fail_until" in payload:
          with open("runs.txt") as runs:
              if len(runs.readlines()) < payload["fail_until"]:
                  payload["code"] = 500
      if "exit" in payload:
          sys.exit(payload["exit"])
      if "raw" in payload:
          print(payload["raw"])
          sys.exit(0)
      answer = {"request_id": request["request_id"], "api_version": "v1"}
      if payload.get("wrong_id"):
          answer["request_id"] = "another"
      given = request["context"].get("input")
      if given is not None:
          payload["say"] = {"told": given["answer"], "by": given["by"], "state": given["state"]}
      if "ask" in payload and given is None:
          answer.update({"status": "awaiting_input", "code": 202,
                         "result": {"output_type": "json", "data": payload["ask"]}})
      elif "code" in payload:
          answer.update({"status": "error", "code": payload["code"], "error": payload.get("error")})
      else:
          answer.update({"status": "success", "code": 0,
                         "result": {"output_type": "json", "data": payload.get("say", "done")}})
      note("done.txt", request["action"] + " " + str(request["task_id"]))
      print(json.dumps(answer))
      """;

  /**
   * As {@code extensions[]} declares it: the actions {@code look} (read) and {@code act} (unsafe).
   */
  public Map<String, Object> declaration() {
    return declaration(List.of(action("look"), action("keep"), action("act")));
  }

  /** The same with {@code check} and {@code rollback}, which look at what the marks say. */
  public Map<String, Object> checkable() {
    return declaration(
        List.of(
            action("look"), action("keep"), action("act"), action("check"), action("rollback")));
  }

  private Map<String, Object> declaration(List<Map<String, Object>> actions) {
    return Map.of(
        "id",
        id,
        "protocol",
        "action",
        "command",
        List.of(Commands.PYTHON, "-c", mark() + "\n" + PROGRAM.replace("${", "$${")),
        "actions",
        actions,
        "tools",
        Map.of(
            "allow",
            List.of("*"),
            "replay",
            Map.of(
                "look", "read", "keep", "idempotent", "check", "read", "rollback", "idempotent")));
  }

  /** Stands in the command lines of its programs alone: other tests run at the same time. */
  private String mark() {
    return "# program of " + id + " in " + rig.folder();
  }

  /** Its programs that run now. */
  public List<Long> processes() {
    return ShellRig.processes(mark());
  }

  private static Map<String, Object> action(String name) {
    return Map.of("name", name, "description", name + "s", "schema", "{\"type\":\"object\"}");
  }

  private Path file(String name) {
    return rig.setup().dataDir().resolve("extensions").resolve(id).resolve("files").resolve(name);
  }

  /** A line for each start of the program: its action, and its task. */
  public List<String> runs() throws IOException {
    return lines("runs.txt");
  }

  /** A line for each start that came to its end. */
  public List<String> ends() throws IOException {
    return lines("done.txt");
  }

  /** A line for each mark of an effect, and each undoing: {@code half-TASK}, {@code done-TASK}. */
  public List<String> marks() throws IOException {
    return lines("marks.txt");
  }

  /** Forgets what earlier tests had it write down. */
  public void forget() throws IOException {
    for (String name : List.of("runs.txt", "done.txt", "marks.txt")) {
      Files.deleteIfExists(file(name));
    }
  }

  private List<String> lines(String name) throws IOException {
    return Files.exists(file(name)) ? Files.readAllLines(file(name)) : List.of();
  }
}
