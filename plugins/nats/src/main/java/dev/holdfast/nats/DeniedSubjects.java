package dev.holdfast.nats;

import dev.holdfast.natskit.NatsSubjects;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What nats-server has lately said that a connection may not do. It says so beside the calls, which
 * then wait for an answer in vain. Thread-safe.
 */
final class DeniedSubjects {
  private static final Pattern DENIAL =
      Pattern.compile("(?i)permissions violation for (publish|subscription) to \"([^\"]+)\"");
  private static final int KEPT_MAX = 100;

  private final Set<Denial> kept = new LinkedHashSet<>();

  private record Denial(boolean isPublish, String subject) {
    boolean isOwn() {
      return isPublish ? subject.startsWith("$JS.") : SubjectRules.isOwnInbox(subject);
    }
  }

  /** Keeps what the line says, if it is about a permission. */
  synchronized void hear(@Nullable String error) {
    Matcher denial = DENIAL.matcher(error == null ? "" : error);
    if (denial.find()) {
      boolean _ =
          kept.add(new Denial(denial.group(1).equalsIgnoreCase("publish"), denial.group(2)));
      if (kept.size() > KEPT_MAX) {
        kept.remove(kept.iterator().next());
      }
    }
  }

  /** Whether publishing to the subject was denied; forgets it. */
  synchronized boolean takePublish(String subject) {
    return kept.remove(new Denial(true, subject));
  }

  /** A sentence with the permission that this server lacks for itself; forgets it. */
  synchronized Optional<String> takeOwn(NatsAccount account) {
    for (Iterator<Denial> denials = kept.iterator(); denials.hasNext(); ) {
      Denial denial = denials.next();
      if (denial.isOwn()) {
        denials.remove();
        return Optional.of(sentence(denial, account));
      }
    }
    return Optional.empty();
  }

  synchronized void clear() {
    kept.clear();
  }

  private static String sentence(Denial denial, NatsAccount account) {
    return "NATS does not let the account %s %s: allow it to %s"
        .formatted(
            denial.isPublish() ? "publish to" : "subscribe to",
            denial.subject(),
            !denial.isPublish()
                ? "subscribe to " + NatsSubjects.OWN_INBOX + ">"
                : denial.subject().startsWith("$JS.ACK.")
                    ? "publish to " + account.acks() + ">"
                    : "publish to $JS.API.>");
  }
}
