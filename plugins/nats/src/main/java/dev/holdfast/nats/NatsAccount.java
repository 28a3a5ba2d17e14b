package dev.holdfast.nats;

import dev.holdfast.api.Access;
import dev.holdfast.api.PluginConfig;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * One subject that services ask on.
 *
 * @param servers addresses with the schemes {@code nats} or {@code tls}, which may hold a user and
 *     a password, or a token
 * @param creds path of a credentials file; empty for none
 * @param subject what the consumer takes of the stream; may have wildcards
 * @param durable name of the consumer
 * @param replySubject where answers go whose message names no subject; empty for nowhere
 * @param replyAllow which subjects a message may name
 * @param trustsHeaders whether headers may name any sender and any conversation; else the sender is
 *     the subject, and its messages can name only conversations of its own
 */
record NatsAccount(
    String name,
    List<String> servers,
    String creds,
    String stream,
    String subject,
    String durable,
    String replySubject,
    List<String> replyAllow,
    boolean trustsHeaders,
    Access access) {
  private static final Set<String> SCHEMES = Set.of("nats", "tls");
  private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,64}");

  /** Reads {@code channels.nats.accounts.NAME}; what cannot be used is reported to the section. */
  static NatsAccount read(PluginConfig section, String name) {
    List<String> servers = section.texts("servers", List.of("nats://127.0.0.1:4222"));
    String creds = section.text("creds", "").strip();
    boolean isTrusted = section.flag("trusted_network", false);
    if (servers.isEmpty()) {
      section.problem("servers", "servers must name at least one server");
    }
    for (String server : servers) {
      problem(server, !creds.isEmpty(), isTrusted)
          .ifPresent(sentence -> section.problem("servers", sentence));
    }
    String subject = section.text("subject", "ask.>");
    if (!SubjectRules.isFilter(subject)
        || SubjectRules.isReserved(subject)
        || subject.startsWith("*")
        || subject.startsWith(">")) {
      section.problem(
          "subject",
          "subject must be a subject of NATS such as ask.>, whose first token is none of $..., *, >"
              + " and holdfast");
    }
    return new NatsAccount(
        name,
        List.copyOf(servers),
        creds,
        named(section, "stream", "ASK"),
        subject,
        named(section, "durable", "holdfast"),
        replySubject(section, subject),
        replyAllow(section),
        section.flag("trust_headers", false),
        access(section));
  }

  /** As for all channels, but programs are the rule here: other agents are left unanswered. */
  private static Access access(PluginConfig section) {
    Access access = Access.of(section);
    return section.whole("bots_per_minute", 0) != 0
        ? access
        : new Access(
            access.users(),
            access.chats(),
            access.teams(),
            access.strangers(),
            access.groups(),
            access.personPerMinute(),
            0);
  }

  private static String named(PluginConfig section, String key, String usual) {
    String name = section.text(key, usual);
    if (!NAME.matcher(name).matches()) {
      section.problem(key, key + " must have 1 to 64 letters, digits, _ or -");
    }
    return name;
  }

  private static String replySubject(PluginConfig section, String subject) {
    String reply = section.text("reply_subject", "").strip();
    if (!reply.isEmpty() && (!SubjectRules.isLiteral(reply) || SubjectRules.isReserved(reply))) {
      section.problem(
          "reply_subject",
          "reply_subject must be a subject without wildcards that begins with neither $ nor"
              + " holdfast");
    } else if (SubjectRules.covers(subject, reply)) {
      section.problem(
          "reply_subject",
          "reply_subject must not be below subject: answers would be taken for messages");
    }
    return reply;
  }

  private static List<String> replyAllow(PluginConfig section) {
    List<String> allow = section.texts("reply_allow", List.of("_INBOX.>"));
    if (!allow.stream().allMatch(SubjectRules::isFilter)) {
      section.problem(
          "reply_allow", "reply_allow must be subjects of NATS such as _INBOX.> or answers.*");
    }
    return List.copyOf(allow);
  }

  /** Nobody else may read or write what goes over the network. */
  private static Optional<String> problem(String server, boolean hasCreds, boolean isTrusted) {
    URI address;
    try {
      address = URI.create(server.strip());
    } catch (IllegalArgumentException _) {
      return Optional.of(wrong(server));
    }
    String scheme = String.valueOf(address.getScheme()).toLowerCase(Locale.ROOT);
    if (!SCHEMES.contains(scheme)
        || address.getHost() == null
        || !address.getRawPath().isEmpty()
        || server.indexOf('@') != server.lastIndexOf('@')) {
      return Optional.of(wrong(server));
    }
    boolean isTls = scheme.equals("tls");
    boolean isKnown = hasCreds || address.getUserInfo() != null;
    if (isTrusted
        || LOOPBACK.contains(address.getHost().toLowerCase(Locale.ROOT))
        || (isTls && isKnown)) {
      return Optional.empty();
    }
    return Optional.of(
        "servers: "
            + shown(server)
            + (isTls
                ? " is reached without credentials; set creds or put user:password@ into it"
                : " is reached without TLS; write tls://")
            + ", or set trusted_network: true if nobody else is on that network");
  }

  private static String wrong(String server) {
    return "servers must be addresses like nats://127.0.0.1:4222 or tls://nats.example.org:4222,"
        + " got "
        + shown(server)
        + (server.contains("@")
            ? "; in a user or password, write % and two hexadecimal digits for anything but"
                + " letters, digits, - . _ ~ (%2F for /)"
            : "");
  }

  /** A text with addresses, without user, password or token, whatever characters are in them. */
  static String shown(String text) {
    int at = text.lastIndexOf('@');
    int scheme = text.indexOf("//");
    int from = scheme < 0 || scheme > at ? 0 : scheme + 2;
    return at < 0 ? text : text.substring(0, from) + "***" + text.substring(at);
  }

  /** The addresses as people may read them: without user, password or token. */
  String shownServers() {
    return String.join(", ", servers.stream().map(NatsAccount::shown).toList());
  }

  /** Whether a message may name it for its answer. */
  boolean mayAnswerAt(String reply) {
    return SubjectRules.isLiteral(reply)
        && !SubjectRules.isReserved(reply)
        && !SubjectRules.covers(subject, reply)
        && (reply.equals(replySubject)
            || replyAllow.stream().anyMatch(each -> SubjectRules.covers(each, reply)));
  }

  /** What only one may listen on. */
  String lease() {
    return String.join(" ", servers) + " " + stream + " " + durable;
  }

  /** Without secrets. */
  @Override
  public String toString() {
    return "NatsAccount[" + name + "]";
  }
}
