package dev.holdfast.ingress.api;

import dev.holdfast.api.ChannelCheck;
import dev.holdfast.api.Failure;
import dev.holdfast.channels.ListenerStatus;
import dev.holdfast.extensions.Texts;
import dev.holdfast.resilience.BreakerView;
import dev.holdfast.store.messages.OpenReplies;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How it goes with one account of a channel, as the server sees it.
 *
 * @param source {@code channel:account}
 * @param way how messages come in
 * @param webhook where the platform sends them, from the root of the server
 * @param publicUrl how the server is reached from outside; empty when that was not configured
 * @param listener null when it does not listen, or not now
 * @param breaker null when nothing was posted yet
 * @param pacedUntil until when its platform has asked to be left alone; null: it has not
 */
record AccountState(
    String source,
    Way way,
    String webhook,
    String publicUrl,
    @Nullable ListenerStatus listener,
    @Nullable BreakerView breaker,
    @Nullable Instant pacedUntil,
    OpenReplies waiting) {
  /** How messages come in. */
  enum Way {
    LISTENS,
    WEBHOOK,
    PAGE
  }

  private static final int SUMMARY_UNITS_MAX = 400;
  private static final int NOTHING_FOR_SECONDS_WORTH_SAYING = 60;

  String account() {
    return source.substring(source.indexOf(':') + 1);
  }

  /** Where the platform sends messages; empty when nobody knows how it reaches the server. */
  String webhookUrl() {
    return publicUrl.isEmpty() ? "" : publicUrl.replaceAll("/+$", "") + webhook;
  }

  /** What it does, in one word. */
  String state() {
    ListenerStatus now = listener;
    if (way != Way.LISTENS) {
      return "ready";
    }
    if (now == null) {
      return "not_listening";
    }
    return switch (now.state()) {
      case ListenerStatus.Receiving _ -> "receiving";
      case ListenerStatus.Silent _ -> "silent";
      case ListenerStatus.TokenInUse _ -> "token_in_use";
      case ListenerStatus.Ending _ -> "ending";
      case ListenerStatus.NotReceiving(_, _, Instant next) ->
          next == null ? "connecting" : "waiting";
    };
  }

  /** What the server can tell without asking the channel. */
  List<ChannelCheck> checks(Instant now) {
    List<ChannelCheck> all = new ArrayList<>();
    switch (way) {
      case LISTENS -> all.add(listening(now));
      case WEBHOOK -> all.add(reachable());
      case PAGE -> {
        return all; // whoever reads it is connected
      }
    }
    all.add(posting());
    return all;
  }

  private ChannelCheck listening(Instant now) {
    ListenerStatus status = listener;
    if (status == null) {
      return ChannelCheck.missing(
          "it listens", "Its plugin may just be starting. If this lasts, see the log.");
    }
    return switch (status.state()) {
      case ListenerStatus.Receiving _ -> ChannelCheck.met("it listens" + received(status, now));
      case ListenerStatus.Ending _ -> ChannelCheck.met("it ends, as its plugin or the server does");
      case ListenerStatus.Silent _ ->
          ChannelCheck.missing(
              "it has received something lately",
              "Its connection counts as dead and is made again. If this lasts, look whether the"
                  + " platform can be reached from here.");
      case ListenerStatus.TokenInUse(String holder) ->
          ChannelCheck.missing(
              "no other account listens with its token, or consumer of NATS",
              holder + " does: give each account one of its own.");
      case ListenerStatus.NotReceiving(Failure failure, _, Instant next)
          when failure != null && status.needsAttention() ->
          ChannelCheck.missing(
              "it listens: " + Texts.cut(failure.summary(), SUMMARY_UNITS_MAX),
              step(failure) + again(next));
      case ListenerStatus.NotReceiving(Failure failure, _, _) ->
          ChannelCheck.met(
              failure == null
                  ? "it listens, and has received nothing yet"
                  : "it listens again soon, after " + failure.code());
    };
  }

  private static String received(ListenerStatus status, Instant now) {
    Instant at = status.history().receivedAt();
    long seconds = at == null ? 0 : Duration.between(at, now).toSeconds();
    return seconds < NOTHING_FOR_SECONDS_WORTH_SAYING
        ? ""
        : ", and has heard of its platform " + seconds + " s ago";
  }

  /** The codes that a channel uses, as the Javadoc of its {@code listen} says. */
  private static String step(Failure failure) {
    return switch (failure.code()) {
      case AUTH -> "Give the account valid credentials, as the channel's page says.";
      case INVALID_REQUEST ->
          "Do what the reason says. If it names none, another process may listen with the same"
              + " token.";
      case RATE_LIMITED -> "The platform asks for a pause; it goes on by itself.";
      default -> "See the log, which says more.";
    };
  }

  private static String again(@Nullable Instant next) {
    return next == null ? "" : " The next try is at " + next + ".";
  }

  private ChannelCheck reachable() {
    return ChannelCheck.met(
        publicUrl.isEmpty()
            ? "the platform must reach "
                + webhook
                + " under the server's public address; http.public_url does not say which that is"
            : "the platform sends to " + webhookUrl());
  }

  private ChannelCheck posting() {
    BreakerView known = breaker;
    if (known != null && !known.state().equals("closed")) {
      return ChannelCheck.missing(
          "replies can be posted",
          "The last %d posts failed, so %d replies wait. holdfast dlq list and the log say why;"
                  .formatted(known.consecutiveFailures(), waiting.count())
              + " it is tried again by itself"
              + (known.openUntil() == null ? "." : " at " + known.openUntil() + "."));
    }
    if (pacedUntil != null) {
      return ChannelCheck.missing(
          "replies can be posted",
          "The platform has asked to be left alone until "
              + pacedUntil
              + "; replies wait until then, and go on by themselves.");
    }
    return ChannelCheck.met(
        waiting.count() == 0
            ? "no posts are failing"
            : "no posts are failing; %d replies wait".formatted(waiting.count()));
  }
}
