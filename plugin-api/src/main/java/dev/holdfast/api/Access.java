package dev.holdfast.api;

import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;

/**
 * Who is answered by an account of a channel. The server judges every message by it, before it is
 * taken in.
 *
 * <p>A message is let through when its {@link Origin#team} is allowed, and its sender, or outside
 * of direct conversations its {@link Origin#chat}, too. In a group it must be addressed as well, or
 * belong to a thread in which the account has answered before.
 *
 * @param users stable ids of people; {@code *} stands for everybody. Whoever was paired is one too
 * @param chats stable ids of groups in which everybody is answered; {@code *} stands for all
 * @param teams stable ids of teams; empty means that the team does not matter
 * @param strangers what becomes of a person who writes directly and is not allowed
 * @param groups when something said in a group is answered
 * @param personPerMinute how many messages of one person are let through in a minute, from 1 to
 *     10,000
 * @param botsPerMinute how many messages of programs are let through in a minute and thread, from 0
 *     to 10,000
 */
public record Access(
    Set<String> users,
    Set<String> chats,
    Set<String> teams,
    Strangers strangers,
    Groups groups,
    int personPerMinute,
    int botsPerMinute) {
  private static final int PER_MINUTE_MOST = 10_000;
  private static final int PERSON_USUAL = 30;
  private static final int BOTS_USUAL = 10;

  /** What becomes of a person who is not allowed. */
  public enum Strangers {
    /** Nothing: the message is counted and dropped. */
    DENY,
    /** A code is told, which the operator may approve. */
    PAIR
  }

  /** When something said in a group is answered. */
  public enum Groups {
    /** When the account is addressed, or in a thread in which it has answered before. */
    MENTIONED,
    /** Always. */
    ALL,
    /** Never. */
    NEVER
  }

  public Access {
    users = Set.copyOf(users);
    chats = Set.copyOf(chats);
    teams = Set.copyOf(teams);
    Objects.requireNonNull(strangers, "strangers");
    Objects.requireNonNull(groups, "groups");
    if (personPerMinute < 1) {
      throw new IllegalArgumentException("personPerMinute must be at least 1");
    }
    Bounds.number("personPerMinute", personPerMinute, PER_MINUTE_MOST);
    Bounds.number("botsPerMinute", botsPerMinute, PER_MINUTE_MOST);
  }

  /**
   * By the keys that all channels share, in the section of an account: {@code allow.users}, {@code
   * allow.chats}, {@code allow.teams}, {@code strangers} (deny, pair), {@code groups} (mentioned,
   * all, never), {@code person_per_minute} (30) and {@code bots_per_minute} (10). Without any of
   * them nobody is answered. What cannot be used is reported to the section.
   */
  public static Access of(PluginConfig account) {
    PluginConfig allow = account.section("allow");
    return new Access(
        ids(allow, "users"),
        ids(allow, "chats"),
        ids(allow, "teams"),
        choice(account, "strangers", Strangers.DENY),
        choice(account, "groups", Groups.MENTIONED),
        perMinute(account, "person_per_minute", 1, PERSON_USUAL),
        perMinute(account, "bots_per_minute", 0, BOTS_USUAL));
  }

  private static Set<String> ids(PluginConfig allow, String key) {
    return Set.copyOf(allow.texts(key, List.of()));
  }

  private static int perMinute(PluginConfig account, String key, int least, int usual) {
    int number = account.whole(key, usual);
    if (number >= least && number <= PER_MINUTE_MOST) {
      return number;
    }
    account.problem(key, "%s must be from %d to %d".formatted(key, least, PER_MINUTE_MOST));
    return usual;
  }

  private static <E extends Enum<E>> E choice(PluginConfig account, String key, E usual) {
    String said = account.text(key, lower(usual));
    List<E> all = List.of(usual.getDeclaringClass().getEnumConstants());
    for (E each : all) {
      if (said.equals(lower(each))) {
        return each;
      }
    }
    account.problem(
        key, "%s must be one of %s".formatted(key, all.stream().map(Access::lower).toList()));
    return usual;
  }

  private static String lower(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}
