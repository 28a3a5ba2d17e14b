package dev.holdfast.access;

import dev.holdfast.api.Access;
import dev.holdfast.api.ChannelAdapter;
import dev.holdfast.api.DropReason;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.Origin;
import dev.holdfast.api.Origin.Place;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.WebhookRequest;
import dev.holdfast.api.WebhookVerdict;
import dev.holdfast.channels.Channels;
import dev.holdfast.store.TestStore;
import dev.holdfast.time.ManualTime;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A judge on a real store, with a channel that only says who is answered. */
final class AccessRig implements AutoCloseable {
  static final String CHANNEL = "chat";
  private static final Pattern CODE = Pattern.compile("pair approve ([2-9A-Z]{8}) ");

  final ManualTime time;
  final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  final TestStore store;
  final Pairings pairings;
  final PersonNotices notices;
  final PairingFlow flow;
  final AccessJudge judge;

  /** What people were told, as {@code account thread: text}. */
  final List<String> told = new ArrayList<>();

  final List<Runnable> waiting = new ArrayList<>();

  /** Chat threads of which an event was accepted, and how often the store was asked. */
  final Set<String> threads = new HashSet<>();

  final Set<String> events = new HashSet<>();
  int reads;
  boolean postFails;
  boolean postsLater;

  AccessRig(Path folder, Access access) throws Exception {
    this(folder, access, new ManualTime());
  }

  AccessRig(Path folder, Access access, ManualTime time) throws Exception {
    this.time = time;
    store = new TestStore(folder);
    pairings = Pairings.open(store.store.engine(), store.store.audit(), time);
    notices = new PersonNotices(this::post, time, this::begin);
    flow = new PairingFlow(pairings, notices, time, meters);
    Channels channels = new Channels(List.of(new Platform(access)));
    judge = new AccessJudge(channels, pairings, flow, notices, new FakeKnown(), time);
  }

  private void begin(Runnable work) {
    if (postsLater) {
      waiting.add(work);
    } else {
      work.run();
    }
  }

  private boolean post(
      String channel, String account, String thread, String inReplyTo, String text) {
    told.add(account + " " + thread + ": " + text);
    return !postFails;
  }

  /** The last code that somebody was told. */
  String code() {
    Matcher code = CODE.matcher(told.getLast());
    if (!code.find()) {
      throw new AssertionError("no code in: " + told.getLast());
    }
    return code.group(1);
  }

  Optional<DropReason> judge(InboundMessage message) {
    return judge.judge(CHANNEL, message);
  }

  private int next;

  /** Each has a key of its own. */
  Optional<DropReason> direct(String sender) {
    return judge(message(sender, "dm-" + sender, "k" + ++next, Origin.direct(sender + "'s name")));
  }

  Optional<DropReason> inGroup(Place place, String thread, String sender, boolean addressed) {
    Origin origin = new Origin(place, "c1", "", sender, false, addressed);
    return judge(message(sender, thread, "k" + ++next, origin));
  }

  Optional<DropReason> byBot(String thread) {
    Origin origin = new Origin(Place.GROUP, "c1", "", "", true, true);
    return judge(message("bot", thread, "k" + ++next, origin));
  }

  static InboundMessage message(String sender, String thread, String key, Origin origin) {
    return new InboundMessage("main", thread, sender, "hello", List.of(), key, origin);
  }

  double count(String outcome) {
    return meters.counter("holdfast.pairings", "outcome", outcome).count();
  }

  @Override
  public void close() {
    store.close();
  }

  private final class FakeKnown implements KnownMessages {
    @Override
    public boolean hasThread(String threadId) {
      reads++;
      return threads.contains(threadId);
    }

    @Override
    public boolean hasEvent(String source, String dedupeKey) {
      return events.contains(source + " " + dedupeKey);
    }
  }

  private record Platform(Access rules) implements ChannelAdapter {
    @Override
    public String channel() {
      return CHANNEL;
    }

    @Override
    public Set<String> accounts() {
      return Set.of("main", "open");
    }

    @Override
    public Map<String, Access> access() {
      return Map.of("main", rules);
    }

    @Override
    public int textUnitsMax() {
      return 4000;
    }

    @Override
    public WebhookVerdict receive(WebhookRequest request) {
      return new WebhookVerdict.Refused("it has no webhook");
    }

    @Override
    public PostOutcome post(OutboundReply reply) {
      throw new AssertionError("nothing is posted through it");
    }
  }
}
