package dev.holdfast.channels;

import dev.holdfast.registry.Use;
import dev.holdfast.supervision.ChildSpec;
import dev.holdfast.supervision.Criticality;
import dev.holdfast.supervision.SupervisedThread;
import dev.holdfast.supervision.Supervisor;
import dev.holdfast.time.Time;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Lets the channels listen that do: a supervised thread for each account, from the addition of its
 * channel to its removal. Thread-safe.
 */
public final class Listeners {
  private static final List<String> REASONS = List.of("failed", "threw", "silent", "ended");

  private final Channels channels;
  private final Supervisor supervisor;
  private final Listener.Shared shared;
  private final Set<Listener> running = ConcurrentHashMap.newKeySet();
  private final Set<String> measured = ConcurrentHashMap.newKeySet();
  private boolean stopped;

  public Listeners(
      Channels channels,
      MessageAcceptance acceptance,
      ListenerPositions positions,
      Supervisor supervisor,
      Time time,
      MeterRegistry meters) {
    this.channels = channels;
    this.supervisor = supervisor;
    this.shared = new Listener.Shared(new ListenerLeases(), acceptance, positions, time, meters);
  }

  /** Begins with the channels that are there, and goes on with those that come. */
  public void start() {
    channels.onRemoved(this::stopRemoved);
    channels.onAdded(this::begin);
    channels.all().forEach(facts -> begin(facts.name()));
  }

  private void begin(String channel) {
    Map<String, ListenFacts> accounts =
        channels.facts(channel).map(ChannelFacts::listens).orElse(Map.of());
    measure(channel);
    stopRemoved(); // another version of it, whose place it has taken
    if (!accounts.isEmpty()) {
      accounts.keySet().stream().sorted().forEach(account -> begin(channel, account));
      stopRemoved(); // it may have gone meanwhile
    }
  }

  private synchronized void begin(String channel, String account) {
    Optional<Use<Channel>> begun = stopped ? Optional.empty() : channels.begin(channel);
    if (begun.isEmpty()) {
      return;
    }
    Use<Channel> use = begun.get();
    ListenFacts facts = use.value().facts().listens().get(account);
    if (facts == null || isRunning(use.value(), account)) {
      use.close(); // another version of the channel has come meanwhile
      return;
    }
    Listener listener = new Listener(use, account, facts, shared);
    ChildSpec spec = ChildSpec.virtual("listener", listener.source()).as(Criticality.RECOVERABLE);
    running.add(listener);
    SupervisedThread _ = supervisor.start(spec, () -> run(listener));
  }

  private boolean isRunning(Channel channel, String account) {
    return running.stream().anyMatch(listener -> listener.serves(channel, account));
  }

  private void run(Listener listener) throws InterruptedException {
    listener.run();
    end(listener);
  }

  private synchronized void end(Listener listener) {
    running.remove(listener);
    listener.close();
  }

  private synchronized void stopRemoved() {
    running.stream().filter(Listener::isRemoved).forEach(Listener::stop);
  }

  /** Interrupts all and begins no more; their supervisor waits for their end. */
  public synchronized void stop() {
    stopped = true;
    running.forEach(Listener::stop);
  }

  /** In the order of their names. */
  public List<ListenerStatus> statuses() {
    return running.stream()
        .map(Listener::status)
        .sorted(Comparator.comparing(ListenerStatus::source))
        .toList();
  }

  /** Once for each name, however often it is added; of those that do not listen as well. */
  private void measure(String channel) {
    if (!measured.add(channel)) {
      return;
    }
    for (boolean up : new boolean[] {true, false}) {
      Gauge.builder("holdfast.listeners", this, all -> all.count(channel, up))
          .description("accounts that listen")
          .tag("channel", channel)
          .tag("state", up ? "up" : "down")
          .register(shared.meters());
    }
    REASONS.forEach(
        reason -> shared.meters().counter(Listener.RESTARTS, "channel", channel, "reason", reason));
  }

  private long count(String channel, boolean up) {
    return running.stream()
        .filter(listener -> listener.channel().equals(channel))
        .filter(listener -> listener.status().isUp() == up)
        .count();
  }
}
