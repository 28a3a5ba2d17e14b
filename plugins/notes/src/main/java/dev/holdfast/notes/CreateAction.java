package dev.holdfast.notes;

import dev.holdfast.agentkit.ActionPayload;
import dev.holdfast.agentkit.ActionRefusedException;
import dev.holdfast.agentkit.ActionRequest;
import java.io.IOException;
import java.util.Map;

/** Makes a note. */
final class CreateAction {
  private CreateAction() {}

  static Map<String, Object> run(ActionRequest request, Vault vault, NoteWriter writer)
      throws ActionRefusedException, IOException {
    ActionPayload payload = request.payload();
    Note note = Note.of(payload.text("text"));
    Map<String, Object> values = payload.object("front_matter").values();
    if (!values.isEmpty()) {
      note = note.withFrontMatter(note.frontMatter().with(values, "\n"));
    }
    return writer.create(vault, payload.text("path"), request.key(), note);
  }
}
