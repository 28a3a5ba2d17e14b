package dev.holdfast.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.Access;
import dev.holdfast.api.Access.Groups;
import dev.holdfast.api.Access.Strangers;
import dev.holdfast.api.DropReason;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.Origin;
import dev.holdfast.api.Origin.Place;
import dev.holdfast.store.TestStore;
import dev.holdfast.store.messages.NewEvent;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class AccessJudgeTest {
  private static final String TOO_FAST =
      "You are writing faster than I may answer; I did not read the last message.";

  @TempDir Path folder;

  private AccessRig rig(Groups groups, int person, int bots) throws Exception {
    return new AccessRig(
        folder,
        new Access(Set.of("ann"), Set.of("c1"), Set.of(), Strangers.DENY, groups, person, bots));
  }

  @Test
  void anAccountThatSaysNothingIsNotJudgedAndAnUnknownChannelNeither() throws Exception {
    try (AccessRig rig = rig(Groups.NEVER, 1, 0)) {
      InboundMessage open = new InboundMessage("open", "t", "eve", "hi", List.of(), "k");
      assertThat(rig.judge(open)).isEmpty();
      assertThat(rig.judge.judge("other", AccessRig.message("eve", "t", "k", Origin.direct())))
          .isEmpty();
    }
  }

  @Test
  void aStrangerIsDroppedAndToldNothingWhereStrangersAreDenied() throws Exception {
    try (AccessRig rig = rig(Groups.MENTIONED, 30, 10)) {
      assertThat(rig.direct("eve")).contains(DropReason.NOT_ALLOWED);
      assertThat(rig.direct("ann")).isEmpty();
      assertThat(rig.told).isEmpty();
      assertThat(rig.pairings.pending()).isEmpty();
    }
  }

  @Test
  void aThreadInWhichTheAccountWasAddressedNeedsNoMentionAnyMore() throws Exception {
    try (AccessRig rig = rig(Groups.MENTIONED, 30, 10)) {
      assertThat(rig.inGroup(Place.THREAD, "t1", "ann", false)).contains(DropReason.NOT_ADDRESSED);
      assertThat(rig.inGroup(Place.THREAD, "t1", "ann", true)).isEmpty();
      assertThat(rig.inGroup(Place.THREAD, "t1", "bob", false)).as("the chat is allowed").isEmpty();
      assertThat(rig.inGroup(Place.THREAD, "t2", "ann", false)).contains(DropReason.NOT_ADDRESSED);
      assertThat(rig.inGroup(Place.GROUP, "g", "ann", true)).isEmpty();
      assertThat(rig.inGroup(Place.GROUP, "g", "ann", false)).contains(DropReason.NOT_ADDRESSED);
    }
  }

  @Test
  void aThreadOfAnEarlierRunIsKnownByTheStoreWhichIsAskedOnce() throws Exception {
    try (AccessRig rig = rig(Groups.MENTIONED, 30, 10)) {
      rig.threads.add("chat:main:t1");
      for (int i = 0; i < 5; i++) {
        assertThat(rig.inGroup(Place.THREAD, "t1", "ann", false)).isEmpty();
      }
      assertThat(rig.reads).isOne();
    }
  }

  @Test
  void theStoreKnowsThreadsAndEventsAfterARestart() throws Exception {
    try (TestStore it = new TestStore(folder)) {
      NewEvent event = new NewEvent("chat:main", "chat:main:t1", "k1", "{}", TestStore.NOW);
      assertThat(KnownMessages.of(it.store).hasThread("chat:main:t1")).isFalse();
      assertThat(it.store.inbox().append(event).join().duplicate()).isFalse();
      assertThat(KnownMessages.of(it.store).hasThread("chat:main:t1")).isTrue();
      it.closeCleanly();
    }
    try (TestStore it = new TestStore(folder)) {
      KnownMessages known = KnownMessages.of(it.store);
      assertThat(known.hasThread("chat:main:t1")).isTrue();
      assertThat(known.hasThread("chat:main:t2")).isFalse();
      assertThat(known.hasThread("chat:other:t1")).isFalse();
      assertThat(known.hasEvent("chat:main", "k1")).isTrue();
      assertThat(known.hasEvent("chat:main", "k2")).isFalse();
      assertThat(known.hasEvent("chat:other", "k1")).isFalse();
    }
  }

  @Test
  void whatWasDroppedMakesNoThreadKnown() throws Exception {
    try (AccessRig rig = rig(Groups.MENTIONED, 1, 10)) {
      assertThat(rig.direct("ann")).isEmpty();
      assertThat(rig.inGroup(Place.THREAD, "t1", "ann", true)).contains(DropReason.TOO_MANY);
      assertThat(rig.inGroup(Place.THREAD, "t1", "bob", false)).contains(DropReason.NOT_ADDRESSED);
    }
  }

  @Test
  void aPersonWhoWritesTooMuchIsToldSoOnceAMinute() throws Exception {
    try (AccessRig rig = rig(Groups.ALL, 2, 10)) {
      assertThat(rig.direct("ann")).isEmpty();
      assertThat(rig.inGroup(Place.GROUP, "g", "ann", true)).as("one limit everywhere").isEmpty();
      for (int i = 0; i < 20; i++) {
        assertThat(rig.direct("ann")).contains(DropReason.TOO_MANY);
      }
      assertThat(rig.told).containsExactly("main dm-ann: " + TOO_FAST);
      assertThat(rig.inGroup(Place.GROUP, "g", "bob", true)).as("others are read").isEmpty();
      rig.time.advance(Duration.ofSeconds(60));
      assertThat(rig.direct("ann")).isEmpty();
      assertThat(rig.direct("ann")).isEmpty();
      assertThat(rig.direct("ann")).contains(DropReason.TOO_MANY);
      assertThat(rig.told).hasSize(2);
    }
  }

  /** Once the rest of what somebody had written in an hour was refused. */
  @Test
  void whoWroteMuchDuringAnOutageIsAnsweredInAll() throws Exception {
    try (AccessRig rig = rig(Groups.ALL, 2, 10)) {
      rig.time.advance(Duration.ofHours(1));
      long first = rig.time.now().minus(Duration.ofHours(1)).toEpochMilli();
      for (int i = 0; i < 100; i++) {
        Origin then = Origin.direct().at(first + 30_000L * i);
        assertThat(rig.judge(AccessRig.message("ann", "dm-ann", "missed" + i, then))).isEmpty();
      }
      assertThat(rig.told).isEmpty();
    }
  }

  @Test
  void anAcceptedMessageThatComesAgainIsLetInAgainAndNotCounted() throws Exception {
    try (AccessRig rig = rig(Groups.ALL, 2, 10)) {
      InboundMessage first = AccessRig.message("ann", "dm-ann", "first", Origin.direct());
      for (int i = 0; i < 10; i++) {
        assertThat(rig.judge(first)).isEmpty();
      }
      assertThat(rig.direct("ann")).isEmpty();
      assertThat(rig.direct("ann")).contains(DropReason.TOO_MANY);
      assertThat(rig.judge(first)).isEmpty();

      rig.told.clear();
      rig.events.add("chat:main old");
      InboundMessage old = AccessRig.message("ann", "dm-ann", "old", Origin.direct());
      assertThat(rig.judge(old)).as("accepted more than a minute ago").isEmpty();
      assertThat(rig.told).isEmpty();
    }
  }

  @Test
  void programsInOneThreadAreHeldToTheirLimitAndToldNothing() throws Exception {
    try (AccessRig rig = rig(Groups.ALL, 1, 3)) {
      for (int i = 0; i < 3; i++) {
        assertThat(rig.byBot("g1")).isEmpty();
      }
      assertThat(rig.byBot("g1")).contains(DropReason.LOOP);
      assertThat(rig.byBot("g2")).as("another thread").isEmpty();
      assertThat(rig.inGroup(Place.GROUP, "g1", "ann", true)).as("a person").isEmpty();
      assertThat(rig.told).isEmpty();
    }
  }

  @Test
  void anAccountMayKeepOutAllPrograms() throws Exception {
    try (AccessRig rig = rig(Groups.ALL, 30, 0)) {
      assertThat(rig.byBot("g")).contains(DropReason.LOOP);
    }
  }

  @Test
  void noNumberOfThreadsGrowsTheMemory() throws Exception {
    try (AccessRig rig = rig(Groups.ALL, 10_000, 10)) {
      for (int i = 0; i < AccessJudge.THREADS_MAX + 50; i++) {
        assertThat(rig.inGroup(Place.THREAD, "t" + i, "p" + i, true)).isEmpty();
      }
      assertThat(rig.judge.threads()).isEqualTo(AccessJudge.THREADS_MAX);
    }
  }

  @Test
  void aNoticeIsLeftOutWhileTooManyOthersAreUnderWay() throws Exception {
    try (AccessRig rig = rig(Groups.ALL, 1, 10)) {
      rig.postsLater = true;
      for (int i = 0; i < PersonNotices.RUNNING_MAX + 5; i++) {
        assertThat(rig.inGroup(Place.GROUP, "g", "p" + i, true)).isEmpty();
        assertThat(rig.inGroup(Place.GROUP, "g", "p" + i, true)).contains(DropReason.TOO_MANY);
      }
      assertThat(rig.waiting).hasSize(PersonNotices.RUNNING_MAX);
      rig.waiting.forEach(Runnable::run);
      rig.postsLater = false;
      assertThat(rig.inGroup(Place.GROUP, "g", "q", true)).isEmpty();
      assertThat(rig.inGroup(Place.GROUP, "g", "q", true)).contains(DropReason.TOO_MANY);
      assertThat(rig.told).hasSize(PersonNotices.RUNNING_MAX + 1);
    }
  }
}
