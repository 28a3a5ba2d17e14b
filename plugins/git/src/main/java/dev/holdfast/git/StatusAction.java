package dev.holdfast.git;

import dev.holdfast.agentkit.ActionRefusedException;
import dev.holdfast.git.WorkTreeChanges.Entry;
import dev.holdfast.git.WorkTreeChanges.Kind;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;

/** Tells how a repository stands. */
final class StatusAction {
  private static final int LISTED_MAX = 300;
  private static final String COUNT = "_count";

  private StatusAction() {}

  static Map<String, Object> run(Repository repository)
      throws ActionRefusedException, IOException, InterruptedException {
    WorkTreeChanges changes = WorkTreeChanges.read(repository.command(), false);
    Map<String, String> headers = changes.headers();
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("repo", repository.found().path().toString());
    String head = headers.getOrDefault("branch.head", "");
    if (head.equals("(detached)")) {
      data.put("detached", true);
    } else {
      data.put("branch", head);
    }
    String commit = headers.getOrDefault("branch.oid", "");
    if (commit.equals("(initial)")) {
      data.put("commits", false);
    } else {
      data.put("commit", commit);
    }
    addUpstream(headers, data);
    List<Entry> entries = changes.entries();
    data.put("clean", entries.isEmpty());
    list(data, "staged", entries, StatusAction::isStaged, entry -> named(entry, entry.staged()));
    list(
        data,
        "unstaged",
        entries,
        StatusAction::isUnstaged,
        entry -> named(entry, entry.unstaged()));
    list(data, "untracked", entries, is(Kind.UNTRACKED), StatusAction::name);
    list(data, "conflicts", entries, is(Kind.CONFLICT), StatusAction::name);
    boolean isCut = changes.isCut() || data.keySet().stream().anyMatch(key -> key.endsWith(COUNT));
    data.put("truncated", isCut);
    return data;
  }

  private static void addUpstream(Map<String, String> headers, Map<String, Object> data) {
    String upstream = headers.get("branch.upstream");
    if (upstream == null) {
      return;
    }
    data.put("upstream", upstream);
    String[] counts = headers.getOrDefault("branch.ab", "").split(" ", -1);
    if (counts.length == 2) {
      data.put("ahead", Math.abs(Long.parseLong(counts[0])));
      data.put("behind", Math.abs(Long.parseLong(counts[1])));
    }
  }

  private static Predicate<Entry> is(Kind kind) {
    return entry -> entry.kind() == kind;
  }

  private static boolean isStaged(Entry entry) {
    return entry.kind() == Kind.TRACKED && entry.staged() != '.';
  }

  private static boolean isUnstaged(Entry entry) {
    return entry.kind() == Kind.TRACKED && entry.unstaged() != '.';
  }

  private static Object named(Entry entry, char letter) {
    return Map.of("path", QuotedName.show(entry.name()), "change", WorkTreeChanges.word(letter));
  }

  private static Object name(Entry entry) {
    return QuotedName.show(entry.name());
  }

  /** Says how many there are when it leaves some out. */
  private static void list(
      Map<String, Object> data,
      String name,
      List<Entry> entries,
      Predicate<Entry> which,
      Function<Entry, Object> shown) {
    List<Entry> all = entries.stream().filter(which).toList();
    data.put(name, all.stream().limit(LISTED_MAX).map(shown).toList());
    if (all.size() > LISTED_MAX) {
      data.put(name + COUNT, all.size());
    }
  }
}
