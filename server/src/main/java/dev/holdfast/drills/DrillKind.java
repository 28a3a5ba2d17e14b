package dev.holdfast.drills;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The faults that are drilled, and what is promised for each; docs/drill.md says where. */
public enum DrillKind {
  MODEL_AWAY(
      "every call to a model is refused like a connection to a port where nobody listens",
      "",
      DrillPromise.ACCEPTED_IS_ANSWERED,
      DrillPromise.NOTHING_TWICE,
      DrillPromise.TOLD_ONCE,
      DrillPromise.NOTHING_GIVEN_UP,
      DrillPromise.STAYS_READY,
      DrillPromise.NORMAL_AGAIN),
  MODEL_HANGS(
      "no call to a model is answered before its time limit",
      "",
      DrillPromise.ACCEPTED_IS_ANSWERED,
      DrillPromise.NOTHING_TWICE,
      DrillPromise.TOLD_ONCE,
      DrillPromise.NOTHING_GIVEN_UP,
      DrillPromise.STAYS_READY,
      DrillPromise.NORMAL_AGAIN),
  CHANNEL_AWAY(
      "every post to a platform is refused like a connection to a port where nobody listens",
      "an account, CHANNEL:ACCOUNT; all of them without it",
      DrillPromise.ACCEPTED_IS_ANSWERED,
      DrillPromise.NOTHING_TWICE,
      DrillPromise.NOTHING_GIVEN_UP,
      DrillPromise.STAYS_READY,
      DrillPromise.NORMAL_AGAIN),
  AGENT_CRASHES(
      "every attempt of a worker agent at a task fails like a crash of the agent",
      "a worker agent; all of them without it",
      DrillPromise.ACCEPTED_IS_ANSWERED,
      DrillPromise.NOTHING_TWICE,
      DrillPromise.STAYS_READY,
      DrillPromise.NORMAL_AGAIN),
  EXTENSION_KILLED(
      "the processes of an extension are killed (SIGKILL), once",
      "an extension; the first that keeps a process without it",
      DrillPromise.ACCEPTED_IS_ANSWERED,
      DrillPromise.NOTHING_TWICE,
      DrillPromise.PART_WORKS_AGAIN,
      DrillPromise.STAYS_READY,
      DrillPromise.NORMAL_AGAIN),
  EXTENSION_HANGS(
      "the processes of an extension are stopped (SIGSTOP), and go on at the end",
      "an extension; the first that keeps a process without it",
      DrillPromise.ACCEPTED_IS_ANSWERED,
      DrillPromise.NOTHING_TWICE,
      DrillPromise.PART_WORKS_AGAIN,
      DrillPromise.STAYS_READY,
      DrillPromise.NORMAL_AGAIN),
  DISK_REFUSES(
      "every transaction of the database fails like one on a full disk",
      "",
      DrillPromise.ACCEPTED_IS_ANSWERED,
      DrillPromise.NOTHING_TWICE,
      DrillPromise.NOTHING_GIVEN_UP,
      DrillPromise.REFUSES_OPENLY,
      DrillPromise.NORMAL_AGAIN),
  MEMORY_PRESSURE(
      "ballast takes a quarter of the heap at most, and leaves a third of it free",
      "",
      DrillPromise.ACCEPTED_IS_ANSWERED,
      DrillPromise.NOTHING_TWICE,
      DrillPromise.NOTHING_GIVEN_UP,
      DrillPromise.STAYS_READY,
      DrillPromise.NORMAL_AGAIN);

  private final String fault;
  private final String target;

  @SuppressWarnings("ImmutableEnumChecker") // List.of
  private final List<DrillPromise> promises;

  DrillKind(String fault, String target, DrillPromise... promises) {
    this.fault = fault;
    this.target = target;
    this.promises = List.of(promises);
  }

  /** As commands and the API name it. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  static Optional<DrillKind> of(String label) {
    return Arrays.stream(values()).filter(kind -> kind.label().equals(label)).findFirst();
  }

  /** What happens during it, as a part of a sentence. */
  public String fault() {
    return fault;
  }

  /** What its target is, for people; empty when it has none. */
  public String target() {
    return target;
  }

  public List<DrillPromise> promises() {
    return promises;
  }
}
