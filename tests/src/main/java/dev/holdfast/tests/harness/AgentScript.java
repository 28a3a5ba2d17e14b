package dev.holdfast.tests.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * An extension whose program does what each payload says, and writes down each time that it is
 * started: {@code say} is answered, {@code sleep} are seconds before that, {@code code} an error,
 * {@code exit} an exit code, {@code raw} what is written in place of an answer.
 *
 * @param id of the extension, and so of the worker agent
 */
public record AgentScript(ServerRig rig, String id) {
  private static final String PROGRAM =
      """
      import json, os, sys, time
      request = json.load(sys.stdin)
      payload = request["payload"]
      with open("runs.txt", "a") as runs:
          runs.write(request["action"] + " " + str(request["task_id"]) + "\\n")
      time.sleep(payload.get("sleep", 0))
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
      if "code" in payload:
          answer.update({"status": "error", "code": payload["code"], "error": payload.get("error")})
      else:
          answer.update({"status": "success", "code": 0,
                         "result": {"output_type": "json", "data": payload.get("say", "done")}})
      with open("done.txt", "a") as done:
          done.write(request["action"] + " " + str(request["task_id"]) + "\\n")
      print(json.dumps(answer))
      """;

  /**
   * As {@code extensions[]} declares it: the actions {@code look} (read) and {@code act} (unsafe).
   */
  public Map<String, Object> declaration() {
    return Map.of(
        "id",
        id,
        "protocol",
        "action",
        "command",
        List.of("python3", "-c", PROGRAM.replace("${", "$${")),
        "actions",
        List.of(action("look"), action("keep"), action("act")),
        "tools",
        Map.of("allow", List.of("*"), "replay", Map.of("look", "read", "keep", "idempotent")));
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

  private List<String> lines(String name) throws IOException {
    return Files.exists(file(name)) ? Files.readAllLines(file(name)) : List.of();
  }
}
