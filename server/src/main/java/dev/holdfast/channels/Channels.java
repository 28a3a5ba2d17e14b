package dev.holdfast.channels;

import dev.holdfast.api.ChannelAdapter;
import dev.holdfast.registry.Registration;
import dev.holdfast.registry.RegistrationRefusedException;
import dev.holdfast.registry.Registry;
import dev.holdfast.registry.Use;
import dev.holdfast.resilience.FaultPoint;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * The channels by name. They come and go while the server runs; what belongs to one that is absent
 * waits for it. Thread-safe.
 */
public final class Channels {
  /** What the server's own channels are called, also those that are switched off. */
  private static final Set<String> OWN = Set.of(WebChannel.CHANNEL, WebhookChannel.CHANNEL);

  private static final int REMEMBERED_MAX = 1000;

  /** What any platform takes: for an answer that is planned before its channel was ever seen. */
  private static final int UNKNOWN_TEXT_UNITS_MAX = 2000;

  private final Registry<Channel> channels = new Registry<>(ChannelFacts.KIND, this::notifyGone);

  /** Also of those that are absent: facts alone, nothing of the adapters. */
  private final Map<String, ChannelFacts> seen = new ConcurrentHashMap<>();

  /** The server's own that are not there before {@link #release}. */
  private final Map<String, ChannelAdapter> held = new ConcurrentHashMap<>();

  private final FaultPoint faults = new FaultPoint();
  private final List<Consumer<String>> onAdded = new CopyOnWriteArrayList<>();
  private final List<Runnable> onRemoved = new CopyOnWriteArrayList<>();
  private final List<Consumer<ChannelFacts>> onGone = new CopyOnWriteArrayList<>();

  /**
   * @param own the channels that are there from the start, and stay
   * @throws IllegalArgumentException when one of them cannot be used, or two have one name
   */
  public Channels(List<ChannelAdapter> own) {
    try {
      for (ChannelAdapter adapter : own) {
        Registration _ = add(adapter, Instant.MIN, Set.of(), Set.of());
      }
    } catch (RegistrationRefusedException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  /** Keeps one of the server's own away: what belongs to it waits until {@link #release}. */
  public void hold(ChannelAdapter own) {
    held.put(own.channel(), own);
  }

  /**
   * Adds those that were kept away.
   *
   * @throws IllegalArgumentException when one of them cannot be used
   */
  public void release() {
    try {
      for (ChannelAdapter adapter : List.copyOf(held.values())) {
        Registration _ = add(adapter, Instant.MIN, Set.of(), Set.of());
        held.remove(adapter.channel());
      }
    } catch (RegistrationRefusedException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  /**
   * Adds a channel; {@code now} is the wall clock's. What it says about itself is read here, once;
   * when this throws, nothing was added.
   */
  public Registration add(ChannelAdapter adapter, Instant now) throws RegistrationRefusedException {
    return add(adapter, now, Set.of());
  }

  /**
   * As {@link #add(ChannelAdapter, Instant)}; may take the place of one of {@code replaceable}
   * without a gap.
   */
  public Registration add(ChannelAdapter adapter, Instant now, Set<Registration> replaceable)
      throws RegistrationRefusedException {
    return add(adapter, now, OWN, replaceable);
  }

  private Registration add(
      ChannelAdapter adapter, Instant since, Set<String> reserved, Set<Registration> replaceable)
      throws RegistrationRefusedException {
    Set<Registration> inner =
        replaceable.stream()
            .map(each -> each instanceof ToldRegistration told ? told.registration : each)
            .collect(Collectors.toSet());
    ChannelFacts facts = ChannelFacts.of(adapter, since, reserved);
    Registration added =
        channels.add(
            facts.name(),
            () -> {
              remember(facts);
              return new Channel(facts, adapter, faults);
            },
            inner);
    onAdded.forEach(listener -> listener.accept(facts.name()));
    return new ToldRegistration(added);
  }

  /** Tells of its removal at once, for those whose calls do not end by themselves. */
  private final class ToldRegistration implements Registration {
    private final Registration registration;

    ToldRegistration(Registration registration) {
      this.registration = registration;
    }

    @Override
    public String name() {
      return registration.name();
    }

    @Override
    public void remove() {
      registration.remove();
      onRemoved.forEach(Runnable::run);
    }

    @Override
    public boolean awaitEnd(Duration limit) throws InterruptedException {
      return registration.awaitEnd(limit);
    }
  }

  /** Where posts and looks for posts go out to platforms, by {@code channel:account}. */
  public FaultPoint faults() {
    return faults;
  }

  private void remember(ChannelFacts facts) {
    if (seen.size() >= REMEMBERED_MAX) {
      seen.keySet().retainAll(channels.names());
    }
    seen.put(facts.name(), facts);
  }

  private void notifyGone(String channel) {
    Optional.ofNullable(seen.get(channel))
        .ifPresent(facts -> onGone.forEach(listener -> listener.accept(facts)));
  }

  /** Begins a call; empty while there is no such channel. To be closed when the call has ended. */
  public Optional<Use<Channel>> begin(String channel) {
    return channels.begin(channel);
  }

  /** Of a channel that is there, or was there in this run of the server. */
  public Optional<ChannelFacts> facts(String channel) {
    return Optional.ofNullable(seen.get(channel));
  }

  /** The longest text of one post; a careful guess for a channel that was not seen yet. */
  public int textUnitsMax(String channel) {
    return facts(channel)
        .map(ChannelFacts::textUnitsMax)
        .orElse(OWN.contains(channel) ? Integer.MAX_VALUE : UNKNOWN_TEXT_UNITS_MAX);
  }

  /** Whether a channel that is not there may come while the server runs. */
  public boolean mayBeAdded(String channel) {
    return !OWN.contains(channel) || held.containsKey(channel);
  }

  /** Those that are there, in the order of their names. */
  public List<ChannelFacts> all() {
    return channels.all().stream().map(Channel::facts).toList();
  }

  /** Hears the name of each channel that is added from now on. */
  public void onAdded(Consumer<String> listener) {
    onAdded.add(listener);
  }

  /** Runs at each removal, when calls of the channel may still run; must return at once. */
  public void onRemoved(Runnable listener) {
    onRemoved.add(listener);
  }

  /** Hears of each channel whose last call has ended after its removal; must return at once. */
  public void onGone(Consumer<ChannelFacts> listener) {
    onGone.add(listener);
  }
}
