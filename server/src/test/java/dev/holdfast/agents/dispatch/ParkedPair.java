package dev.holdfast.agents.dispatch;

import dev.holdfast.agents.turn.ThreadsConfig.WhileBusy;
import dev.holdfast.api.FailureCode;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.EventState;
import java.util.concurrent.CountDownLatch;

/** Two messages of the chat thread {@code web:main:t} that became one turn, which is parked. */
record ParkedPair(AgentRig world, Event before, Event after) {
  static ParkedPair open(AgentRigs rigs) throws Exception {
    rigs.options.whileBusy = WhileBusy.COLLECT;
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    rigs.model
        .then(
            (_, _) -> {
              begun.countDown();
              go.await();
              return ScriptedProvider.text("first");
            })
        .fails(FailureCode.AUTH, 1);
    AgentRig world = rigs.open();
    world.send("t", "k0", "first");
    begun.await();
    Event before = world.send("t", "k1", "never mind");
    Event after = world.send("t", "k2", "hello");
    world.await(
        () -> world.orchestrator.find("web:main:t").orElseThrow().waiting() == 2,
        () -> "not waiting");
    go.countDown();
    world.awaitState(after, EventState.PARKED);
    return new ParkedPair(world, before, after);
  }
}
