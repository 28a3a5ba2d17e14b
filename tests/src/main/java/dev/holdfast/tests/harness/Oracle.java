package dev.holdfast.tests.harness;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Judges a run from outside, by the platform's ledger and the server's own account of itself. Every
 * broken promise is one line in {@link #violations}.
 */
public final class Oracle {
  /** A kill this long after a post may have hit before the answer was stored. */
  private static final Duration STORED_WITHIN = Duration.ofSeconds(2);

  private final ServerRig rig;
  private final List<SentEvent> events;
  private final List<Long> killsAtNanos;
  private final List<String> violations = new ArrayList<>();

  /** Knows of the kills of the rig's servers. */
  public Oracle(ServerRig rig, List<SentEvent> events) {
    this(rig, events, rig.killsAtNanos());
  }

  /**
   * @param killsAtNanos when the server was killed, by {@link System#nanoTime()}
   */
  public Oracle(ServerRig rig, List<SentEvent> events, List<Long> killsAtNanos) {
    this.rig = rig;
    this.events = events;
    this.killsAtNanos = killsAtNanos;
  }

  /**
   * Waits until the server is quiet, then checks I1, I2, I3, I5 and I9; the server keeps running.
   */
  public List<String> judge(Duration quietWithin) throws IOException {
    rig.api().awaitQuiet(quietWithin);
    checkEachEvent();
    checkPosts();
    checkOrder();
    JsonNode counts = rig.api().status().path("counts");
    if (!EquationWatch.holds(counts)) {
      violations.add("I5: the equation does not hold: " + counts);
    }
    checkNewEvent();
    return violations;
  }

  /** I1: every acked event is answered, or accounted for by its story. */
  private void checkEachEvent() throws IOException {
    Map<String, Post> shown = new HashMap<>();
    rig.platform().posts().stream()
        .filter(post -> post.mode().shows())
        .forEach(post -> shown.putIfAbsent(post.inReplyTo(), post));
    for (SentEvent event : events) {
      if (!event.acked()) {
        continue;
      }
      Answer answer = rig.api().get("/api/v1/events/" + ServerApi.encode(event.id()));
      if (answer.status() != 200) {
        violations.add("I1: " + event.id() + " was acked but has no story: " + answer.status());
        continue;
      }
      String state = answer.json().path("state").asText().toLowerCase(Locale.ROOT);
      if (!ServerApi.FINAL.contains(state)) {
        violations.add("I1: " + event.id() + " is still " + state);
      } else if (state.equals("answered")) {
        checkAnswer(event, shown, answer);
      }
    }
  }

  private void checkAnswer(SentEvent event, Map<String, Post> shown, Answer story) {
    Post post = shown.get(event.id());
    if (post == null) {
      for (JsonNode reply : story.json().path("replies")) {
        if (Set.of("held", "rejected")
            .contains(reply.path("state").asText().toLowerCase(Locale.ROOT))) {
          return; // not posted, but accounted for
        }
      }
      violations.add("I1: " + event.id() + " is answered, but nothing was posted for it");
    } else if (!post.text().contains(event.token())) {
      violations.add("I1: " + event.id() + " got another one's answer: " + post.text());
    }
  }

  /** I2: posts(e) is at most 1 + U(e) for each part: each resend is paid for by a lost answer. */
  private void checkPosts() {
    Map<String, List<Post>> byReply = new HashMap<>();
    for (Post post : rig.platform().posts()) {
      if (!post.signatureRight()) {
        violations.add("a post with a wrong signature: " + post);
      }
      if (post.mode().shows()) {
        byReply.computeIfAbsent(post.replyId(), _ -> new ArrayList<>()).add(post);
      }
    }
    byReply.forEach(
        (replyId, posts) -> {
          long unknown = posts.stream().filter(this::mayBeUnknown).count();
          if (posts.size() > 1 + unknown) {
            violations.add(
                "I2: " + replyId + " was shown " + posts.size() + " times, U = " + unknown);
          }
          if (posts.stream().map(Post::text).distinct().count() > 1) {
            violations.add("I2: " + replyId + " was shown with different texts");
          }
        });
    checkOneReplyPerPart();
  }

  private void checkOneReplyPerPart() {
    Map<String, Set<String>> replies = new HashMap<>();
    rig.platform().posts().stream()
        .filter(post -> post.mode().shows() && !post.inReplyTo().isEmpty())
        .forEach(
            post ->
                replies
                    .computeIfAbsent(post.inReplyTo() + "#" + post.part(), _ -> new HashSet<>())
                    .add(post.replyId()));
    replies.forEach(
        (part, ids) -> {
          if (ids.size() > 1) {
            violations.add("I2: two replies for one part of " + part + ": " + ids);
          }
        });
  }

  private boolean mayBeUnknown(Post post) {
    return post.mode().leavesUnknown()
        || killsAtNanos.stream()
            .anyMatch(
                kill ->
                    kill - post.atNanos() >= -Duration.ofMillis(500).toNanos()
                        && kill - post.atNanos() < STORED_WITHIN.toNanos());
  }

  /** I3: in each chat thread the first posts come in the order of acceptance. */
  private void checkOrder() {
    Map<String, SentEvent> byId = new HashMap<>();
    events.forEach(event -> byId.put(event.id(), event));
    Map<String, Integer> last = new HashMap<>();
    Set<String> seen = new HashSet<>();
    List<Post> posts =
        rig.platform().posts().stream().sorted(Comparator.comparingLong(Post::atNanos)).toList();
    for (Post post : posts) {
      SentEvent event = byId.get(post.inReplyTo());
      if (event == null || !post.mode().shows() || !seen.add(event.id())) {
        continue;
      }
      int before = last.getOrDefault(event.thread(), -1);
      if (event.number() < before) {
        violations.add("I3: " + event.id() + " was answered after number " + before);
      }
      last.put(event.thread(), Math.max(before, event.number()));
    }
  }

  /** I9: a new event is answered within 30 s. */
  private void checkNewEvent() {
    String id = "after-" + System.nanoTime();
    rig.accept(id, "afterwards", "are you well?");
    rig.platform().awaitPost(id, Duration.ofSeconds(30));
  }

  /** I8: what SQLite says of the file; call it when the server is stopped. */
  public static String integrity(Path database) throws SQLException {
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + database);
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("PRAGMA integrity_check")) {
      return rows.getString(1);
    }
  }
}
