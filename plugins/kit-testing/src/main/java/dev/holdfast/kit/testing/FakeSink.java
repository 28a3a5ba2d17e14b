package dev.holdfast.kit.testing;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Click;
import dev.holdfast.api.DropReason;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.MessageSink;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** Keeps what it is given. Thread-safe. */
public final class FakeSink implements MessageSink {
  private final List<InboundMessage> messages = new ArrayList<>();
  private final List<Click> clicks = new ArrayList<>();
  private final List<DropReason> dropped = new ArrayList<>();
  private Predicate<InboundMessage> refused = _ -> false;
  private Runnable onAccept = () -> {};
  private String answer = "Done.";
  private String position = "";
  private String bot = "";
  private final List<Integer> placesMissing = new ArrayList<>();
  private int received;

  /** Messages that can never be taken. */
  public synchronized FakeSink refuses(Predicate<InboundMessage> which) {
    refused = which;
    return this;
  }

  /** What happens while a message is taken; it may throw. */
  public synchronized FakeSink onAccept(Runnable job) {
    onAccept = job;
    return this;
  }

  public synchronized FakeSink answersClicks(String sentence) {
    answer = sentence;
    return this;
  }

  public synchronized List<InboundMessage> messages() {
    return List.copyOf(messages);
  }

  public synchronized List<String> texts() {
    return messages.stream().map(InboundMessage::text).toList();
  }

  public synchronized List<Click> clicks() {
    return List.copyOf(clicks);
  }

  public synchronized List<DropReason> drops() {
    return List.copyOf(dropped);
  }

  public synchronized int receives() {
    return received;
  }

  @Override
  public synchronized void accept(List<InboundMessage> offered) throws CallFailedException {
    onAccept.run();
    offered.stream().filter(refused.negate()).forEach(messages::add);
    if (offered.stream().anyMatch(refused)) {
      throw new CallFailedException(
          Failure.of(FailureCode.INVALID_MESSAGE, "one of them exceeds a limit"));
    }
  }

  @Override
  public synchronized String clicked(Click click) {
    clicks.add(click);
    return answer;
  }

  @Override
  public synchronized void dropped(List<DropReason> reasons) {
    if (reasons.size() > 1000) {
      throw new IllegalArgumentException("at most 1,000 at once");
    }
    dropped.addAll(reasons);
  }

  @Override
  public synchronized void received() {
    received++;
  }

  /** What the channel has called its bot; empty before it has. */
  public synchronized String bot() {
    return bot;
  }

  /** In how many places it was missing, each time the channel has said so. */
  public synchronized List<Integer> placesMissing() {
    return List.copyOf(placesMissing);
  }

  @Override
  public synchronized void missingFrom(int places) {
    placesMissing.add(places);
  }

  @Override
  public synchronized void listensAs(String id) {
    bot = id;
  }

  @Override
  public synchronized Optional<String> position() {
    return Optional.of(position).filter(text -> !text.isEmpty());
  }

  @Override
  public synchronized void savePosition(String now) {
    position = now;
  }
}
