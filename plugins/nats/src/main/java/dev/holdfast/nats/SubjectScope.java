package dev.holdfast.nats;

/**
 * Names of conversations and messages within a subject: whoever may not publish to the subject can
 * name none of them. A subject has no spaces, so the first one ends it.
 */
final class SubjectScope {
  private static final char END = ' ';

  private SubjectScope() {}

  /** The subject itself stands for its own name. */
  static String scoped(String subject, String name) {
    return name.equals(subject) ? subject : subject + END + name;
  }

  /** The subject of a scoped name. */
  static String subject(String scoped) {
    int end = scoped.indexOf(END);
    return end < 0 ? scoped : scoped.substring(0, end);
  }

  /** The name without its subject. */
  static String name(String scoped) {
    return scoped.substring(scoped.indexOf(END) + 1);
  }
}
