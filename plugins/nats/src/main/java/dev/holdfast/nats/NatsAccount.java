package dev.holdfast.nats;

import dev.holdfast.api.Access;
import dev.holdfast.api.PluginConfig;
import dev.holdfast.natskit.NatsAddresses;
import dev.holdfast.natskit.NatsSubjects;
import java.util.List;
import java.util.regex.Pattern;

/**
 * One subject that services ask on.
 *
 * @param servers addresses with the schemes {@code nats} or {@code tls}, which may hold a user and
 *     a password, or a token
 * @param creds path of a credentials file; empty for none
 * @param caFile path of the certificates, in PEM, that TLS trusts; empty for those of Java
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
    String caFile,
    String stream,
    String subject,
    String durable,
    String replySubject,
    List<String> replyAllow,
    boolean trustsHeaders,
    Access access) {
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
      NatsAddresses.problem(server, !creds.isEmpty(), isTrusted, "")
          .ifPresent(sentence -> section.problem("servers", sentence));
    }
    String subject = section.text("subject", "ask.>");
    if (!SubjectRules.isFilter(subject)
        || SubjectRules.isReserved(subject)
        || subject.startsWith("_INBOX.")
        || subject.startsWith("*")
        || subject.startsWith(">")) {
      section.problem(
          "subject",
          "subject must be a subject of NATS such as ask.>, whose first token is none of $...,"
              + " _INBOX, *, > and holdfast");
    }
    return new NatsAccount(
        name,
        List.copyOf(servers),
        creds,
        caFile(section, servers),
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

  private static String caFile(PluginConfig section, List<String> servers) {
    String file = section.text("ca_file", "").strip();
    if (!file.isEmpty() && servers.stream().noneMatch(NatsAddresses::isTls)) {
      section.problem(
          "ca_file", "ca_file is used for tls:// only, and servers has no such address");
    }
    return file;
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
    } else if (NatsSubjects.covers(subject, reply)) {
      section.problem(
          "reply_subject",
          "reply_subject must not be below subject: answers would be taken for messages");
    }
    return reply;
  }

  private static List<String> replyAllow(PluginConfig section) {
    List<String> allow = section.texts("reply_allow", List.of("_INBOX.>"));
    if (!allow.stream()
        .allMatch(each -> SubjectRules.isFilter(each) && !SubjectRules.isReserved(each))) {
      section.problem(
          "reply_allow",
          "reply_allow must be subjects of NATS such as _INBOX.> or answers.*, which begin with"
              + " neither $ nor holdfast");
    }
    return List.copyOf(allow);
  }

  /** The addresses as people may read them: without user, password or token. */
  String shownServers() {
    return NatsAddresses.shown(servers);
  }

  /** Whether a message may name it for its answer. */
  boolean mayAnswerAt(String reply) {
    return SubjectRules.isLiteral(reply)
        && !SubjectRules.isReserved(reply)
        && !NatsSubjects.covers(subject, reply)
        && (reply.equals(replySubject)
            || replyAllow.stream().anyMatch(each -> NatsSubjects.covers(each, reply)));
  }

  /** What acknowledgements of the consumer's messages begin with. */
  String acks() {
    return "$JS.ACK." + stream + "." + durable + ".";
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
