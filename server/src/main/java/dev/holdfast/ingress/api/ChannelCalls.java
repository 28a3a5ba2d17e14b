package dev.holdfast.ingress.api;

import dev.holdfast.api.ChannelCheck;
import dev.holdfast.api.Failure;
import dev.holdfast.channels.Channel;
import dev.holdfast.channels.ChannelChecks;
import dev.holdfast.channels.ChannelFacts;
import dev.holdfast.channels.ListenerStatus;
import dev.holdfast.channels.WebChannel;
import dev.holdfast.ingress.webhooks.Webhooks;
import dev.holdfast.ingress.wire.ApiAnswer;
import dev.holdfast.ingress.wire.ApiRequest;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.plugins.PluginHost;
import dev.holdfast.plugins.PluginView;
import dev.holdfast.registry.Use;
import dev.holdfast.replies.Replies;
import dev.holdfast.resilience.BreakerView;
import dev.holdfast.resilience.Guards;
import dev.holdfast.resilience.HoldView;
import dev.holdfast.store.messages.Outbox;
import dev.holdfast.time.Time;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What is asked of the channels. */
final class ChannelCalls {
  /** Of one channel; a person looks at no more, and each costs a look at the outbox. */
  private static final int SHOWN_MAX = 100;

  private final ChannelParts parts;
  private final Guards guards;
  private final Outbox outbox;
  private final PluginHost plugins;
  private final Time time;

  ChannelCalls(ChannelParts parts, Guards guards, Outbox outbox, PluginHost plugins, Time time) {
    this.parts = parts;
    this.guards = guards;
    this.outbox = outbox;
    this.plugins = plugins;
    this.time = time;
  }

  Map<String, ApiCall> calls() {
    return Map.of("listChannels", _ -> channels(), "checkChannel", this::check);
  }

  /** What all accounts are looked up in, read once a request. */
  private record Facts(
      Map<String, ListenerStatus> listeners,
      Map<String, BreakerView> breakers,
      Map<String, Instant> holds) {}

  private Facts facts() {
    return new Facts(
        byName(parts.listeners().statuses(), ListenerStatus::source),
        byName(guards.breakers(), BreakerView::name),
        guards.longHolds().stream().collect(Collectors.toMap(HoldView::name, HoldView::until)));
  }

  private static <T> Map<String, T> byName(List<T> all, Function<T, String> name) {
    return all.stream().collect(Collectors.toMap(name, each -> each, (one, _) -> one));
  }

  private AccountState state(ChannelFacts channel, String account, Facts facts) {
    String source = channel.name() + ":" + account;
    String guard = Replies.guardName(source);
    AccountState.Way way =
        channel.name().equals(WebChannel.CHANNEL)
            ? AccountState.Way.PAGE
            : channel.listens().containsKey(account)
                ? AccountState.Way.LISTENS
                : AccountState.Way.WEBHOOK;
    return new AccountState(
        source,
        way,
        Webhooks.PREFIX + channel.name() + "/" + account,
        parts.publicUrl(),
        facts.listeners().get(source),
        facts.breakers().get(guard),
        facts.holds().get(guard),
        outbox.openTo(source));
  }

  private ApiAnswer channels() {
    Facts facts = facts();
    JsonArray all = new JsonArray();
    for (ChannelFacts channel : parts.channels().all()) {
      JsonArray accounts = new JsonArray();
      channel.accounts().stream()
          .sorted()
          .limit(SHOWN_MAX)
          .forEach(account -> accounts.add(view(state(channel, account, facts))));
      all.add(
          new JsonObject()
              .put("name", channel.name())
              .put("plugin", pluginOf(channel.name()))
              .put("accounts", accounts)
              .put("more", Math.max(0, channel.accounts().size() - SHOWN_MAX)));
    }
    return ApiAnswer.ok(new JsonObject().put("channels", all));
  }

  /** Empty for the server's own. */
  private String pluginOf(String channel) {
    return plugins.plugins().stream()
        .filter(plugin -> plugin.offers().contains("channel " + channel))
        .map(PluginView::id)
        .findFirst()
        .orElse("");
  }

  private static JsonObject view(AccountState state) {
    BreakerView breaker = state.breaker();
    return new JsonObject()
        .put("account", state.account())
        .put("way", state.way().name().toLowerCase(Locale.ROOT))
        .put("state", state.state())
        .put("webhook", state.way() == AccountState.Way.WEBHOOK ? state.webhook() : "")
        .put("url", state.way() == AccountState.Way.WEBHOOK ? state.webhookUrl() : "")
        .put("listener", listener(state.listener()))
        .put("breaker", breaker == null ? "closed" : breaker.state())
        .put("open_until", breaker == null ? null : text(breaker.openUntil()))
        .put("paced_until", text(state.pacedUntil()))
        .put("replies_waiting", state.waiting().count());
  }

  private static @Nullable JsonObject listener(@Nullable ListenerStatus status) {
    if (status == null) {
      return null;
    }
    Failure failure = status.history().failure();
    return new JsonObject()
        .put("since", status.history().since().toString())
        .put("received_at", text(status.history().receivedAt()))
        .put("restarts", status.history().restarts())
        .put("failure", failure == null ? "" : failure.code().name())
        .put(
            "next_attempt_at",
            status.state() instanceof ListenerStatus.NotReceiving waiting
                ? text(waiting.next())
                : null);
  }

  private static @Nullable String text(@Nullable Instant at) {
    return at == null ? null : at.toString();
  }

  private ApiAnswer check(ApiRequest request) throws RefusedRequestException, InterruptedException {
    try (Use<Channel> use =
        parts
            .channels()
            .begin(request.id())
            .orElseThrow(() -> RefusedRequestException.unknown("no such channel"))) {
      ChannelFacts channel = use.value().facts();
      String wanted = request.text("account", "");
      List<String> accounts =
          channel.accounts().stream()
              .filter(account -> wanted.isEmpty() || account.equals(wanted))
              .sorted()
              .toList();
      if (accounts.isEmpty()) {
        throw RefusedRequestException.unknown("no such account");
      }
      List<String> asked =
          accounts.subList(0, Math.min(accounts.size(), ChannelChecks.ACCOUNTS_MAX));
      Map<String, List<ChannelCheck>> said = parts.checks().ask(use, asked);
      Facts facts = facts();
      JsonArray all = new JsonArray();
      for (String account : asked) {
        JsonArray checks = new JsonArray();
        said.getOrDefault(account, List.of()).forEach(check -> checks.add(view(check)));
        state(channel, account, facts).checks(time.now()).forEach(check -> checks.add(view(check)));
        all.add(new JsonObject().put("account", account).put("checks", checks));
      }
      return ApiAnswer.ok(
          new JsonObject()
              .put("name", channel.name())
              .put("accounts", all)
              .put("more", accounts.size() - asked.size()));
    }
  }

  private static JsonObject view(ChannelCheck check) {
    return new JsonObject()
        .put("what", check.what())
        .put("met", check.isMet())
        .put("step", check.remedy());
  }
}
