package dev.holdfast.nats;

import dev.holdfast.api.Access;
import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.ChannelAdapter;
import dev.holdfast.api.ChannelCheck;
import dev.holdfast.api.ListenSpec;
import dev.holdfast.api.MessageSink;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.WebhookRequest;
import dev.holdfast.api.WebhookVerdict;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The channel {@code nats}. Thread-safe. */
final class NatsChannel implements ChannelAdapter {
  static final String NAME = "nats";

  /** With 3 bytes a unit, and the headers, it fits into {@link NatsLink#PAYLOAD_LEAST}. */
  private static final int TEXT_UNITS_MAX = 20_000;

  /** Several fetches, and the questions between them. */
  private static final Duration SILENCE_MAX = Duration.ofMinutes(1);

  private final Map<String, Served> accounts = new LinkedHashMap<>();

  /** All that is there of one account. */
  record Served(NatsAccount account, NatsLink link, NatsListener listener, NatsPosts posts) {}

  NatsChannel(List<Served> accounts) {
    accounts.forEach(each -> this.accounts.put(each.account().name(), each));
  }

  private Served served(String account) {
    @Nullable Served served = accounts.get(account);
    if (served == null) {
      throw new IllegalArgumentException("there is no account " + account);
    }
    return served;
  }

  @Override
  public String channel() {
    return NAME;
  }

  @Override
  public Set<String> accounts() {
    return Set.copyOf(accounts.keySet());
  }

  @Override
  public WebhookVerdict receive(WebhookRequest request) {
    return new WebhookVerdict.NoAccount();
  }

  @Override
  public Map<String, ListenSpec> listens() {
    Map<String, ListenSpec> listens = new LinkedHashMap<>();
    accounts.forEach(
        (name, each) -> listens.put(name, new ListenSpec(each.account().lease(), SILENCE_MAX)));
    return listens;
  }

  @Override
  public void listen(String account, MessageSink sink)
      throws CallFailedException, InterruptedException {
    Served served = served(account);
    served
        .link()
        .whileListening(
            () -> {
              try (DeliverySource source = DurableConsumer.open(served.account(), served.link())) {
                served.listener().run(source, sink);
              }
            });
  }

  @Override
  public Map<String, Access> access() {
    Map<String, Access> access = new LinkedHashMap<>();
    accounts.forEach((name, each) -> access.put(name, each.account().access()));
    return access;
  }

  @Override
  public List<ChannelCheck> check(String account) throws InterruptedException {
    Served served = served(account);
    return NatsChecks.of(served.account(), served.link());
  }

  @Override
  public int textUnitsMax() {
    return TEXT_UNITS_MAX;
  }

  /** By {@code Nats-Msg-Id}: a stream drops repeats, and so can a subscriber. */
  @Override
  public boolean dropsRepeats() {
    return true;
  }

  @Override
  public PostOutcome post(OutboundReply reply) throws InterruptedException {
    return served(reply.account()).posts().post(reply);
  }
}
