package dev.holdfast.github;

import dev.holdfast.api.DropReason;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.Origin;
import dev.holdfast.kit.JsonText;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Map;

/** Reads comments, issues and pull requests, however they came. Thread-safe. */
final class GithubReader {
  private final GithubAccount account;
  private final EyesReactions reactions;

  GithubReader(GithubAccount account, EyesReactions reactions) {
    this.account = account;
    this.reactions = reactions;
  }

  /**
   * Reads one.
   *
   * @param number of the issue or pull request that it belongs to
   */
  GithubEvent read(
      GithubSource source,
      GithubRepository repository,
      long number,
      Map<String, Object> item,
      GithubIdentity me) {
    Map<String, Object> user = JsonText.map(item, "user");
    long id = JsonText.whole(item, "id", 0);
    long sender = JsonText.whole(user, "id", 0);
    if (id <= 0 || sender <= 0 || number <= 0) {
      return new GithubEvent.Ignored();
    }
    if (sender == me.id()) {
      return new GithubEvent.Dropped(DropReason.OWN_ECHO);
    }
    boolean isBot = JsonText.text(user, "type").equals("Bot");
    if (!isListed(sender) && (isBot || !isAssociated(item))) {
      return new GithubEvent.Dropped(DropReason.NOT_ALLOWED);
    }
    String name = account.mention().isEmpty() ? me.login() : account.mention();
    MentionedText body = MentionedText.of(JsonText.text(item, "body"), name);
    String text = text(source, item, body);
    if (text.isBlank()) {
      return new GithubEvent.Dropped(DropReason.EMPTY);
    }
    GithubPlace place = new GithubPlace(repository.fullName(), number);
    reactions.read(place.thread(), path(source, place, id), body.isMentioned());
    return new GithubEvent.Said(
        new InboundMessage(
            account.name(),
            place.thread(),
            Long.toString(sender),
            text,
            List.of(),
            key(source, repository, number, id),
            new Origin(
                    Origin.Place.THREAD,
                    Long.toString(repository.id()),
                    Long.toString(repository.ownerId()),
                    JsonText.text(user, "login"),
                    isBot || item.get("performed_via_github_app") instanceof Map<?, ?>,
                    body.isMentioned())
                .at(writtenAtMillis(item))));
  }

  private static long writtenAtMillis(Map<String, Object> item) {
    try {
      return Instant.parse(JsonText.text(item, "created_at")).toEpochMilli();
    } catch (DateTimeParseException _) {
      return 0;
    }
  }

  /** Whether the operator has named this very person or program. */
  private boolean isListed(long sender) {
    return account.access().users().contains(Long.toString(sender));
  }

  private boolean isAssociated(Map<String, Object> item) {
    return account.associations().contains(JsonText.text(item, "author_association"));
  }

  private static String text(GithubSource source, Map<String, Object> item, MentionedText body) {
    return source == GithubSource.ISSUES
        ? (JsonText.text(item, "title") + "\n\n" + body.text()).strip()
        : body.text();
  }

  /**
   * The same by poll and by webhook; issues have a number besides their id, and deliveries of pull
   * requests another id.
   */
  private static String key(
      GithubSource source, GithubRepository repository, long number, long id) {
    return source == GithubSource.ISSUES
        ? source.key() + ":" + repository.id() + "#" + number
        : source.key() + ":" + id;
  }

  private static String path(GithubSource source, GithubPlace place, long id) {
    return source == GithubSource.ISSUES
        ? place.path()
        : "/repos/" + place.repository() + "/" + source.list() + "/" + id;
  }
}
