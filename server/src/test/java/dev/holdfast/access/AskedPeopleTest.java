package dev.holdfast.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.Access;
import dev.holdfast.api.Access.Groups;
import dev.holdfast.api.Access.Strangers;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.Origin;
import dev.holdfast.api.Origin.Place;
import dev.holdfast.channels.InboundPayload;
import dev.holdfast.store.TestStore;
import dev.holdfast.store.ledgers.Approval;
import dev.holdfast.store.ledgers.QuestionButtons;
import dev.holdfast.store.messages.NewEvent;
import dev.holdfast.store.messages.NewReply;
import dev.holdfast.store.messages.ReplyChoices;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class AskedPeopleTest {
  private static final String THREAD = "chat:main:t";

  @TempDir Path folder;

  private AccessRig allowing(Set<String> users, Set<String> chats) throws Exception {
    return new AccessRig(
        folder, new Access(users, chats, Set.of(), Strangers.PAIR, Groups.MENTIONED, 30, 10));
  }

  private static Origin inGroup() {
    return new Origin(Place.GROUP, "c1", "", "Ann", false, true);
  }

  /** Asks ann about a call; {@code by}: whose message led to it. */
  private static QuestionButtons ask(AccessRig rig, String by, Origin origin) throws Exception {
    InboundMessage message = AccessRig.message(by, "t", "k1", origin);
    String event =
        rig.store
            .store
            .inbox()
            .append(
                new NewEvent(
                    "chat:main", THREAD, "k1", InboundPayload.write(message), TestStore.NOW))
            .join()
            .event()
            .id();
    Instant now = TestStore.NOW;
    Approval question =
        new Approval(
            "a1",
            "CODE",
            event,
            THREAD,
            event + ".1.1",
            "shell",
            "aa",
            "shell: ls",
            "ann",
            Approval.State.WAITING,
            now,
            now.plus(Duration.ofMinutes(10)),
            "",
            "{}");
    rig.store.store.approvals().ask(question);
    QuestionButtons buttons = QuestionButtons.draw(new SecureRandom(), true);
    NewReply post =
        new NewReply(
            "a1.p.1",
            event,
            "chat:main",
            THREAD,
            "t",
            "k1",
            "May I?",
            1,
            1,
            false,
            "",
            ReplyChoices.write(buttons.choices()));
    rig.store.store.outbox().plan(List.of(post), rig.store.store.approvals().show("a1", buttons));
    return buttons;
  }

  private static List<Boolean> mayDecide(AccessRig rig, QuestionButtons buttons, String person) {
    AskedPeople asked =
        new AskedPeople(rig.store.store.approvals(), rig.store.store.inbox(), rig.judge);
    return buttons.choices().stream()
        .map(choice -> asked.mayDecide(THREAD, person, choice.token()))
        .toList();
  }

  @Test
  void whoeverWasRemovedFromThePeopleDecidesNothing() throws Exception {
    QuestionButtons buttons;
    try (AccessRig rig = allowing(Set.of("ann"), Set.of())) {
      buttons = ask(rig, "ann", Origin.direct());
      assertThat(mayDecide(rig, buttons, "ann")).containsOnly(true);
    }
    try (AccessRig rig = allowing(Set.of("bob"), Set.of("c1"))) {
      assertThat(mayDecide(rig, buttons, "ann")).containsOnly(false);
      assertThat(rig.told).as("a click offers no code").isEmpty();
    }
  }

  @Test
  void wherePeopleAreAllowedByTheirGroupItIsTheGroupThatCounts() throws Exception {
    QuestionButtons buttons;
    try (AccessRig rig = allowing(Set.of(), Set.of("c1"))) {
      buttons = ask(rig, "ann", inGroup());
      assertThat(mayDecide(rig, buttons, "ann")).containsOnly(true);
    }
    try (AccessRig rig = allowing(Set.of(), Set.of("c2"))) {
      assertThat(mayDecide(rig, buttons, "ann")).containsOnly(false);
    }
  }

  @Test
  void whoeverIsPairedDecidesUntilThatIsRevoked() throws Exception {
    try (AccessRig rig = allowing(Set.of(), Set.of())) {
      assertThat(rig.direct("ann")).isPresent();
      assertThat(rig.flow.approve(rig.code(), "token:main"))
          .isInstanceOf(PairingVerdict.Paired.class);
      QuestionButtons buttons = ask(rig, "ann", Origin.direct());
      assertThat(mayDecide(rig, buttons, "ann")).containsOnly(true);
      assertThat(rig.pairings.revoke(new ChannelPerson("chat", "main", "ann"), "token:main"))
          .isTrue();
      assertThat(mayDecide(rig, buttons, "ann")).containsOnly(false);
    }
  }

  @Test
  void whatIsNotTheirsIsDecidedElsewhere() throws Exception {
    try (AccessRig rig = allowing(Set.of("bob"), Set.of())) {
      QuestionButtons buttons = ask(rig, "ann", Origin.direct());
      assertThat(mayDecide(rig, buttons, "eve")).containsOnly(true);
      AskedPeople asked =
          new AskedPeople(rig.store.store.approvals(), rig.store.store.inbox(), rig.judge);
      assertThat(asked.mayDecide("chat:main:u", "ann", buttons.choices().getFirst().token()))
          .isTrue();
      assertThat(asked.mayDecide(THREAD, "ann", "no such button")).isTrue();
    }
  }

  @Test
  void aQuestionOfAWakeUpSaysNothingOfWherePeopleAreAllowed() throws Exception {
    try (AccessRig rig = allowing(Set.of(), Set.of("c1"))) {
      QuestionButtons buttons = ask(rig, "schedule:1", Origin.direct());
      assertThat(mayDecide(rig, buttons, "ann")).containsOnly(true);
    }
  }
}
