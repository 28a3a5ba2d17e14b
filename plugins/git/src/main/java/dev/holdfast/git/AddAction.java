package dev.holdfast.git;

import dev.holdfast.agentkit.ActionPayload;
import dev.holdfast.agentkit.ActionRefusedException;
import dev.holdfast.git.WorkTreeChanges.Entry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Stages files. */
final class AddAction {
  private static final int PATHS_MAX = 200;
  private static final int LISTED_MAX = 300;
  private static final int BYTES_MAX = 16 << 20;

  private AddAction() {}

  static Map<String, Object> run(ActionPayload payload, Repository repository)
      throws ActionRefusedException, IOException, InterruptedException {
    repository.found().requireWritable();
    List<WorkTreePath> paths = new ArrayList<>();
    for (String each : payload.texts("paths", PATHS_MAX)) {
      paths.add(WorkTreePath.of(each));
    }
    GitCommand git = repository.command();
    WorkTreeChanges changes = WorkTreeChanges.read(git, true);
    if (changes.isCut()) {
      throw new ActionRefusedException(
          ActionRefusedException.TOO_LARGE, "Too many files of this repository have changed.");
    }
    List<Entry> added =
        changes.entries().stream()
            .filter(entry -> entry.unstaged() != '.')
            .filter(entry -> paths.stream().anyMatch(path -> path.holds(entry.name())))
            .toList();
    refuseFiltered(git, added);
    GitCommand.Result result =
        git.run(
            BYTES_MAX,
            joined(paths.stream().map(WorkTreePath::bytes).toList()),
            List.of("add", "--all", "--pathspec-from-file=-", "--pathspec-file-nul"));
    if (result.exitCode() != 0) {
      throw result.refusal(ActionRefusedException.CONFLICT);
    }
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("repo", repository.found().path().toString());
    data.put(
        "added",
        added.stream().limit(LISTED_MAX).map(entry -> QuotedName.show(entry.name())).toList());
    data.put("count", added.size());
    data.put("truncated", added.size() > LISTED_MAX);
    return data;
  }

  /** Without its filter, a file would be stored as it must not be. */
  private static void refuseFiltered(GitCommand git, List<Entry> added)
      throws ActionRefusedException, IOException, InterruptedException {
    if (added.isEmpty()) {
      return;
    }
    GitCommand.Result result =
        git.run(
            BYTES_MAX * 2,
            joined(added.stream().map(Entry::name).toList()),
            List.of("check-attr", "--stdin", "-z", "filter"));
    if (result.exitCode() != 0 || result.isCut()) {
      throw result.refusal(ActionRefusedException.UNREADABLE);
    }
    List<byte[]> fields = WorkTreeChanges.lines(result.output());
    for (int at = 0; at + 2 < fields.size(); at += 3) { // name, "filter", value
      String filter = new String(fields.get(at + 2), StandardCharsets.UTF_8);
      if (!filter.equals("unspecified") && !filter.equals("unset")) {
        throw new ActionRefusedException(
            ActionRefusedException.FORBIDDEN,
            "%s needs the filter %s, which this agent does not run. Nothing was added."
                .formatted(QuotedName.show(fields.get(at)), filter));
      }
    }
  }

  private static byte[] joined(List<byte[]> names) {
    ByteArrayOutputStream joined = new ByteArrayOutputStream();
    for (byte[] name : names) {
      joined.writeBytes(name);
      joined.write(0);
    }
    return joined.toByteArray();
  }
}
