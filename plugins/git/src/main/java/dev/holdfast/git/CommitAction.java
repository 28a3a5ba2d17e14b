package dev.holdfast.git;

import dev.holdfast.agentkit.ActionPayload;
import dev.holdfast.agentkit.ActionRefusedException;
import dev.holdfast.agentkit.ActionRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Commits what is staged. A commit carries a mark of the call that made it, so that the same call,
 * made again after a crash, finds it.
 */
final class CommitAction {
  static final String KEY = "Holdfast-Key";
  private static final String NOBODY = "Holdfast <holdfast@localhost.localdomain>";
  private static final Pattern PERSON = Pattern.compile("([^<>\\p{Cntrl}]+) <([^<>\\s]+)>");
  private static final Pattern LAST_LINE_IS_TRAILER =
      Pattern.compile("\\n\\n(?:.+\\n)*[A-Za-z0-9-]+: .+\\z");
  private static final int KEY_DIGITS = 32;

  /** How far back a call looks for its own commit. */
  private static final int LOOKED_AT_MAX = 1000;

  private static final int BYTES_MAX = 16 << 20;

  private CommitAction() {}

  /** {@code committer}: as {@code Name <address>}; empty for whom the repository names. */
  static Map<String, Object> run(ActionRequest request, Repository repository, String committer)
      throws ActionRefusedException, IOException, InterruptedException {
    repository.found().requireWritable();
    GitCommand git = repository.command();
    ActionPayload payload = request.payload();
    String message = payload.text("message").strip();
    if (message.isEmpty() || message.indexOf('\0') >= 0 || message.contains(KEY + ":")) {
      throw new ActionRefusedException(
          ActionRefusedException.INVALID,
          "The message must be a text without the word " + KEY + ".");
    }
    Map<String, String> people = people(payload, git, committer);
    String mark = request.key().isEmpty() ? "" : KEY + ": " + hash(request.key());
    String earlier = mark.isEmpty() ? "" : earlier(git, mark);
    if (!earlier.isEmpty()) {
      return answer(repository, earlier, true);
    }
    refuseNothing(git);
    GitCommand.Result result =
        git.with(people)
            .run(
                BYTES_MAX,
                marked(message, mark).getBytes(StandardCharsets.UTF_8),
                List.of(
                    "commit",
                    "--quiet",
                    "--no-verify",
                    "--no-gpg-sign",
                    "--no-status",
                    "--cleanup=whitespace",
                    "--file=-"));
    if (result.exitCode() != 0) {
      throw result.refusal(ActionRefusedException.CONFLICT);
    }
    return answer(repository, git.run(1000, "rev-parse", "--verify", "HEAD").text().strip(), false);
  }

  private static Map<String, Object> answer(
      Repository repository, String commit, boolean isRepeated)
      throws ActionRefusedException, IOException, InterruptedException {
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("repo", repository.found().path().toString());
    data.put("commit", commit);
    LogAction.commits(repository.command(), LOOKED_AT_MAX, List.of()).stream()
        .filter(each -> commit.equals(each.get("hash")))
        .findFirst()
        .ifPresent(data::putAll);
    data.remove("hash");
    if (isRepeated) {
      data.put("already_committed", true);
    }
    return data;
  }

  private static Map<String, String> people(
      ActionPayload payload, GitCommand git, String configured) throws ActionRefusedException {
    String known = git.identity().isEmpty() ? NOBODY : git.identity();
    Matcher committer = person(configured.isBlank() ? known : configured.strip());
    Matcher author = committer;
    if (payload.has("author")) {
      ActionPayload given = payload.object("author");
      author = person(given.text("name").strip() + " <" + given.text("email").strip() + ">");
    }
    Map<String, String> people = new TreeMap<>();
    people.put("GIT_AUTHOR_NAME", author.group(1));
    people.put("GIT_AUTHOR_EMAIL", author.group(2));
    people.put("GIT_COMMITTER_NAME", committer.group(1));
    people.put("GIT_COMMITTER_EMAIL", committer.group(2));
    return people;
  }

  private static Matcher person(String text) throws ActionRefusedException {
    Matcher person = PERSON.matcher(text);
    if (!person.matches()) {
      throw new ActionRefusedException(
          ActionRefusedException.INVALID, "This is no author: " + text + ".");
    }
    return person;
  }

  private static String earlier(GitCommand git, String mark)
      throws ActionRefusedException, IOException, InterruptedException {
    if (!LogAction.hasCommits(git)) {
      return "";
    }
    GitCommand.Result result =
        git.run(
            BYTES_MAX,
            "log",
            "-z",
            "--max-count=" + LOOKED_AT_MAX,
            "--no-show-signature",
            "--no-notes",
            "--no-decorate",
            "--no-patch",
            "--format=%H%n%B",
            "HEAD",
            "--");
    if (result.exitCode() != 0) {
      throw result.refusal(ActionRefusedException.UNREADABLE);
    }
    for (String commit : result.text().split("\0", -1)) {
      if (commit.lines().skip(1).anyMatch(mark::equals)) {
        return commit.lines().findFirst().orElse("");
      }
    }
    return "";
  }

  private static void refuseNothing(GitCommand git)
      throws ActionRefusedException, IOException, InterruptedException {
    boolean isMerging =
        git.run(1000, "rev-parse", "--verify", "--quiet", "MERGE_HEAD").exitCode() == 0;
    GitCommand.Result staged =
        git.run(
            1000, "diff", "--cached", "--quiet", "--no-ext-diff", "--ignore-submodules=none", "--");
    if (staged.exitCode() == 0 && !isMerging) {
      throw new ActionRefusedException(
          ActionRefusedException.CONFLICT, "Nothing is staged: use add first.");
    }
  }

  private static String marked(String message, String mark) {
    if (mark.isEmpty()) {
      return message + "\n";
    }
    boolean hasTrailers = LAST_LINE_IS_TRAILER.matcher(message).find();
    return message + (hasTrailers ? "\n" : "\n\n") + mark + "\n";
  }

  /** A key names a conversation, which is nobody's business who reads the history. */
  private static String hash(String key) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash).substring(0, KEY_DIGITS);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
