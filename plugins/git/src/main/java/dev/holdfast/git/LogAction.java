package dev.holdfast.git;

import dev.holdfast.agentkit.ActionPayload;
import dev.holdfast.agentkit.ActionRefusedException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Lists commits. */
final class LogAction {
  private static final int LIMIT = 10;
  private static final int LIMIT_MAX = 100;
  private static final int BYTES_MAX = 4 << 20;
  private static final int UNITS_MAX = 500;
  private static final String FORMAT = "--format=%H%x1f%an%x1f%ae%x1f%aI%x1f%P%x1f%s";
  private static final int FIELDS = 6;

  private LogAction() {}

  static Map<String, Object> run(ActionPayload payload, Repository repository)
      throws ActionRefusedException, IOException, InterruptedException {
    int limit = payload.whole("limit", LIMIT, 1, LIMIT_MAX);
    List<String> path =
        payload.has("path") ? List.of(WorkTreePath.of(payload.text("path")).argument()) : List.of();
    List<Map<String, Object>> commits = commits(repository.command(), limit + 1, path);
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("repo", repository.found().path().toString());
    data.put("commits", commits.stream().limit(limit).toList());
    data.put("truncated", commits.size() > limit);
    return data;
  }

  /** Whether the current branch has any commit. */
  static boolean hasCommits(GitCommand git)
      throws ActionRefusedException, IOException, InterruptedException {
    return git.run(1000, "rev-parse", "--verify", "--quiet", "HEAD^{commit}").exitCode() == 0;
  }

  /** The last ones, newest first; none before the first commit. */
  static List<Map<String, Object>> commits(GitCommand git, int limit, List<String> path)
      throws ActionRefusedException, IOException, InterruptedException {
    if (!hasCommits(git)) {
      return List.of();
    }
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "log",
                "-z",
                "--max-count=" + limit,
                "--no-show-signature",
                "--no-mailmap",
                "--no-decorate",
                "--no-notes",
                "--no-patch",
                FORMAT,
                "HEAD",
                "--"));
    arguments.addAll(path);
    GitCommand.Result result = git.run(BYTES_MAX, new byte[0], arguments);
    if (result.exitCode() != 0) {
      throw result.refusal(ActionRefusedException.UNREADABLE);
    }
    List<Map<String, Object>> commits = new ArrayList<>();
    for (String line : result.text().split("\0", -1)) {
      String[] parts = line.split("\u001f", FIELDS);
      if (parts.length == FIELDS) {
        commits.add(commit(parts));
      }
    }
    return commits;
  }

  private static Map<String, Object> commit(String[] parts) {
    Map<String, Object> commit = new LinkedHashMap<>();
    commit.put("hash", parts[0]);
    commit.put("author", cut(parts[1]) + " <" + cut(parts[2]) + ">");
    commit.put("date", parts[3]);
    commit.put("subject", cut(parts[5]));
    if (parts[4].contains(" ")) {
      commit.put("parents", parts[4].split(" ", -1).length);
    }
    return commit;
  }

  private static String cut(String text) {
    return text.length() > UNITS_MAX ? text.substring(0, UNITS_MAX) + "…" : text;
  }
}
