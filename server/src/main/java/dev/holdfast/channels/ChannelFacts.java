package dev.holdfast.channels;

import dev.holdfast.api.Access;
import dev.holdfast.api.ChannelAdapter;
import dev.holdfast.api.ListenSpec;
import dev.holdfast.registry.FactReader;
import dev.holdfast.registry.RegistrationRefusedException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What a channel says about itself, read once when it was registered.
 *
 * @param posts false when readers fetch their replies by themselves
 * @param dropsRepeats whether the platform drops a post that it has already got
 * @param findsPosts whether the platform's history tells if a post arrived
 * @param typingEvery how often it is shown that an answer is being made; zero: never
 * @param showsDrafts whether that is shown by what the answer says so far
 * @param draftEvery how often that is shown
 * @param access who is answered, by account; the channel judges those of other accounts
 * @param fetches whether it fetches the files of its messages
 * @param showsChoices whether it shows buttons
 * @param hasWebhookPaths whether its platform sends to paths below an account, and by PUT
 * @param listens the accounts that take messages in by themselves
 * @param since when it was added: replies wait for an absent channel without growing too old
 */
public record ChannelFacts(
    String name,
    Set<String> accounts,
    int textUnitsMax,
    boolean posts,
    boolean dropsRepeats,
    boolean findsPosts,
    Duration typingEvery,
    boolean showsDrafts,
    Duration draftEvery,
    Map<String, Access> access,
    boolean fetches,
    boolean showsChoices,
    boolean hasWebhookPaths,
    Map<String, ListenFacts> listens,
    Instant since) {
  static final String KIND = "channel";

  /** It stands in paths and, with a colon after it, in the ids of threads. */
  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,31}");

  private static final Pattern ACCOUNT = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");
  private static final int ACCOUNTS_MAX = 1000;
  private static final Duration DRAFT_LEAST = Duration.ofMillis(250);
  private static final Duration TYPING_LEAST = Duration.ofSeconds(1);
  private static final Duration TYPING_MOST = Duration.ofSeconds(60);
  private static final int TEXT_UNITS_MIN = 20;
  private static final int TEXT_UNITS_MAX = 10_000_000;

  /** {@code reserved}: names that it may not have. */
  static ChannelFacts of(ChannelAdapter adapter, Instant since, Set<String> reserved)
      throws RegistrationRefusedException {
    FactReader facts = new FactReader(KIND);
    String name = facts.read("channel", adapter::channel);
    facts.name(name, NAME, reserved);
    Set<String> accounts = Set.copyOf(facts.list("accounts", ACCOUNTS_MAX, adapter::accounts));
    facts.require(
        accounts.stream().allMatch(account -> ACCOUNT.matcher(account).matches()),
        "its accounts must match " + ACCOUNT);
    int textUnitsMax = facts.read("textUnitsMax", adapter::textUnitsMax);
    facts.require(
        textUnitsMax >= TEXT_UNITS_MIN && textUnitsMax <= TEXT_UNITS_MAX,
        "its longest text must be from " + TEXT_UNITS_MIN + " to " + TEXT_UNITS_MAX + " units");
    return new ChannelFacts(
        name,
        accounts,
        textUnitsMax,
        facts.read("posts", adapter::posts),
        facts.read("dropsRepeats", adapter::dropsRepeats),
        facts.read("findsPosts", adapter::findsPosts),
        typingEvery(facts, adapter),
        facts.read("showsDrafts", adapter::showsDrafts),
        draftEvery(facts, adapter),
        access(facts, adapter, accounts),
        facts.read("fetches", adapter::fetches),
        facts.read("showsChoices", adapter::showsChoices),
        facts.read("hasWebhookPaths", adapter::hasWebhookPaths),
        listens(name, accounts, facts, adapter),
        since);
  }

  private static Duration typingEvery(FactReader facts, ChannelAdapter adapter)
      throws RegistrationRefusedException {
    Duration every = facts.read("typingEvery", adapter::typingEvery);
    facts.require(
        every.isZero() || (every.compareTo(TYPING_LEAST) >= 0 && every.compareTo(TYPING_MOST) <= 0),
        "typing must be shown every 1 to 60 s, or never");
    return every;
  }

  private static Duration draftEvery(FactReader facts, ChannelAdapter adapter)
      throws RegistrationRefusedException {
    Duration every = facts.read("draftEvery", adapter::draftEvery);
    facts.require(
        !facts.read("showsDrafts", adapter::showsDrafts)
            || (every.compareTo(DRAFT_LEAST) >= 0 && every.compareTo(TYPING_MOST) <= 0),
        "drafts must be shown every 0.25 to 60 s");
    return every;
  }

  private static Map<String, Access> access(
      FactReader facts, ChannelAdapter adapter, Set<String> accounts)
      throws RegistrationRefusedException {
    List<Map.Entry<String, Access>> declared =
        facts.list("access", ACCOUNTS_MAX, () -> adapter.access().entrySet());
    Map<String, Access> access =
        declared.stream()
            .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue));
    facts.require(
        accounts.containsAll(access.keySet()), "who is answered must be said of its accounts");
    return access;
  }

  private static Map<String, ListenFacts> listens(
      String name, Set<String> accounts, FactReader facts, ChannelAdapter adapter)
      throws RegistrationRefusedException {
    List<Map.Entry<String, ListenSpec>> declared =
        facts.list("listens", ACCOUNTS_MAX, () -> adapter.listens().entrySet());
    Map<String, ListenFacts> listens =
        facts.read(
            "listens",
            () ->
                declared.stream()
                    .collect(
                        Collectors.toUnmodifiableMap(
                            Map.Entry::getKey, spec -> ListenFacts.of(name, spec.getValue()))));
    facts.require(
        accounts.containsAll(listens.keySet()), "what listens must be one of its accounts");
    return listens;
  }
}
