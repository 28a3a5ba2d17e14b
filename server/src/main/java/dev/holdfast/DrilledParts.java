package dev.holdfast;

import dev.holdfast.channels.ChannelFacts;
import dev.holdfast.channels.Channels;
import dev.holdfast.drills.Ballast;
import dev.holdfast.drills.CallFault;
import dev.holdfast.drills.DiskFault;
import dev.holdfast.drills.DrillKind;
import dev.holdfast.drills.DrilledServer;
import dev.holdfast.drills.Injection;
import dev.holdfast.drills.ProcessFault;
import dev.holdfast.extensions.Extensions;
import dev.holdfast.health.Condition;
import dev.holdfast.models.ModelTimeouts;
import dev.holdfast.models.Models;
import dev.holdfast.store.engine.Engine;
import dev.holdfast.store.messages.EventFates;
import dev.holdfast.store.messages.Inbox;
import dev.holdfast.store.messages.MessageMark;
import dev.holdfast.tasks.run.AgentDirectory;
import dev.holdfast.tasks.workers.WorkerAgent;
import dev.holdfast.time.Time;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** The server's own parts for drills: where faults are put in, and what is looked at. */
record DrilledParts(Readiness readiness, Inbox inbox) implements DrilledServer {
  static Map<DrillKind, Injection> injections(
      Models models,
      ModelTimeouts timeouts,
      Channels channels,
      Extensions extensions,
      AgentDirectory agents,
      Engine engine,
      Time time) {
    ProcessFault.Keepers keepers = keepers(extensions);
    CallFault.Targets providers = new CallFault.Targets("provider", List::of);
    CallFault.Targets accounts = new CallFault.Targets("account", () -> accounts(channels));
    CallFault.Targets workers =
        new CallFault.Targets(
            "worker agent", () -> agents.all().stream().map(WorkerAgent::id).toList());
    Map<DrillKind, Injection> all = new EnumMap<>(DrillKind.class);
    for (DrillKind kind : DrillKind.values()) {
      all.put(
          kind,
          switch (kind) {
            case MODEL_AWAY -> CallFault.refused(models.faults(), providers);
            case MODEL_HANGS -> CallFault.hanging(models.faults(), timeouts.firstToken(), time);
            case CHANNEL_AWAY -> CallFault.refused(channels.faults(), accounts);
            case AGENT_CRASHES -> CallFault.crashed(extensions.faults(), workers);
            case EXTENSION_KILLED -> ProcessFault.killed(keepers);
            case EXTENSION_HANGS -> ProcessFault.stopped(keepers);
            case DISK_REFUSES -> DiskFault.of(engine);
            case MEMORY_PRESSURE -> Ballast.onTheHeap();
          });
    }
    return all;
  }

  /** Of the channels that post: a fault of another would never strike. */
  private static List<String> accounts(Channels channels) {
    return channels.all().stream()
        .filter(ChannelFacts::posts)
        .flatMap(
            channel -> channel.accounts().stream().map(account -> channel.name() + ":" + account))
        .sorted()
        .toList();
  }

  private static ProcessFault.Keepers keepers(Extensions extensions) {
    return new ProcessFault.Keepers() {
      @Override
      public List<String> ids() {
        return extensions.ids();
      }

      @Override
      public List<Long> processes(String id) {
        return extensions.processes(id);
      }

      @Override
      public boolean isWell(String id) {
        return extensions
            .view(id)
            .map(
                view ->
                    switch (view.state()) {
                      case READY, IDLE -> true;
                      case STARTING, RESTARTING, PARKED, STOPPED -> false;
                    })
            .orElse(true);
      }
    };
  }

  @Override
  public boolean isReady() {
    return readiness.isReady();
  }

  @Override
  public List<Condition> conditions() {
    return readiness.current();
  }

  @Override
  public MessageMark mark() {
    return inbox.mark();
  }

  @Override
  public EventFates fates(MessageMark after, MessageMark upTo) {
    return inbox.fates(after, upTo);
  }
}
