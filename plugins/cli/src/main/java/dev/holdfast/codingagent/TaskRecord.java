package dev.holdfast.codingagent;

import dev.holdfast.kit.JsonText;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How far a task is, as it is written down before anything is done: after a crash it goes on in its
 * session.
 *
 * @param session empty before the program has named one
 * @param output what was answered; empty before that
 */
record TaskRecord(
    String session, Permissions permissions, SessionUsage usage, Map<String, Object> output) {
  static final TaskRecord NEW = new TaskRecord("", Permissions.NONE, SessionUsage.NONE, Map.of());

  static TaskRecord read(Map<String, Object> object) {
    return new TaskRecord(
        JsonText.text(object, "session"),
        Permissions.read(object, "permissions"),
        SessionUsage.read(JsonText.map(object, "usage")),
        JsonText.map(object, "output"));
  }

  Map<String, Object> written() {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("session", session);
    object.put("permissions", permissions.written());
    object.put("usage", usage.written());
    object.put("output", output);
    return object;
  }

  TaskRecord in(String otherSession) {
    return new TaskRecord(otherSession, permissions, usage, output);
  }

  TaskRecord allowing(Permissions others) {
    return new TaskRecord(session, others, usage, output);
  }

  TaskRecord having(SessionUsage more) {
    return new TaskRecord(session, permissions, usage.plus(more), output);
  }

  TaskRecord done(Map<String, Object> data) {
    return new TaskRecord(session, permissions, usage, data);
  }

  boolean isDone() {
    return !output.isEmpty();
  }
}
