package dev.holdfast.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.Access;
import dev.holdfast.api.Access.Groups;
import dev.holdfast.api.Access.Strangers;
import dev.holdfast.api.DropReason;
import dev.holdfast.api.Origin;
import dev.holdfast.api.Origin.Place;
import dev.holdfast.store.TestStore;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.ledgers.AuditRow;
import dev.holdfast.store.ledgers.AuditVerdict;
import dev.holdfast.store.messages.ThreadReader;
import dev.holdfast.time.ManualTime;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class PairingFlowTest {
  private static final Access PAIR =
      new Access(Set.of("boss"), Set.of(), Set.of(), Strangers.PAIR, Groups.MENTIONED, 30, 10);
  private static final String OPERATOR = "token:main";
  private static final ChannelPerson ANN = new ChannelPerson("chat", "main", "ann");

  @TempDir Path folder;
  private final ManualTime time = new ManualTime();
  private final SecureRandom random = new SecureRandom();

  private AccessRig rig() throws Exception {
    return new AccessRig(folder, PAIR, time);
  }

  private void minute() throws Exception {
    time.advance(Duration.ofMinutes(1));
  }

  private String wrongCode() {
    return PairingCode.random(random).text();
  }

  private static List<String> audit(AccessRig rig) {
    return rig.store.store.audit().list(ThreadReader.OPERATOR, 0, 100).stream()
        .map(AuditRow::entry)
        .map(entry -> entry.what() + " " + entry.actor() + " " + entry.detailsJson())
        .toList();
  }

  @Test
  void aStrangerIsToldACodeAndAnsweredAsSoonAsItIsApproved() throws Exception {
    try (AccessRig rig = rig()) {
      assertThat(rig.direct("ann")).contains(DropReason.NOT_ALLOWED);
      assertThat(rig.told)
          .singleElement()
          .asString()
          .startsWith("main dm-ann: I only answer people I know.")
          .contains("within 60 minutes");
      assertThat(rig.pairings.pending())
          .singleElement()
          .satisfies(
              asked -> {
                assertThat(asked.person()).isEqualTo(ANN);
                assertThat(asked.name()).isEqualTo("ann's name");
              });
      assertThat(rig.flow.pendingCount()).isOne();
      String typed = rig.code().toLowerCase(Locale.ROOT);
      assertThat(rig.flow.approve(typed, OPERATOR))
          .isInstanceOfSatisfying(
              PairingVerdict.Paired.class,
              verdict -> assertThat(verdict.paired().person()).isEqualTo(ANN));
      assertThat(rig.told.getLast()).isEqualTo("main dm-ann: You are connected now. Say hello.");
      assertThat(rig.direct("ann")).isEmpty();
      assertThat(rig.direct("eve")).contains(DropReason.NOT_ALLOWED);
      assertThat(rig.inGroup(Place.GROUP, "g", "ann", true)).as("in groups too").isEmpty();
      assertThat(rig.flow.people()).extracting(PairedPerson::person).containsExactly(ANN);
      assertThat(rig.flow.people().getFirst().approvedBy()).isEqualTo(OPERATOR);
      assertThat(audit(rig))
          .containsExactly(
              "pairing.approved token:main {\"account\":\"chat:main\",\"sender\":\"ann\","
                  + "\"name\":\"ann's name\"}");
      assertThat(rig.store.store.audit().verify()).isEqualTo(new AuditVerdict.Whole(1));
    }
  }

  @Test
  void aCodeIsApprovedOnceAlsoByTwoAtOnce() throws Exception {
    try (AccessRig rig = rig();
        ExecutorService operators = Executors.newVirtualThreadPerTaskExecutor()) {
      rig.direct("ann");
      String code = rig.code();
      List<Callable<PairingVerdict>> tries = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        tries.add(() -> rig.flow.approve(code, OPERATOR));
      }
      int paired = 0;
      for (Future<PairingVerdict> each : operators.invokeAll(tries)) {
        paired += each.get() instanceof PairingVerdict.Paired ? 1 : 0;
      }
      assertThat(paired).isOne();
      assertThat(rig.flow.approve(code, OPERATOR)).isInstanceOf(PairingVerdict.WrongCode.class);
      assertThat(audit(rig)).hasSize(1);
    }
  }

  @Test
  void pairingsAndOpenCodesSurviveARestart() throws Exception {
    String code;
    try (AccessRig rig = rig()) {
      rig.direct("ann");
      rig.flow.approve(rig.code(), OPERATOR);
      rig.direct("bob");
      code = rig.code();
      rig.store.closeCleanly();
    }
    try (AccessRig rig = rig()) {
      assertThat(rig.direct("ann")).isEmpty();
      assertThat(rig.direct("bob")).contains(DropReason.NOT_ALLOWED);
      assertThat(rig.told.getLast()).contains("already have a code");
      assertThat(rig.flow.pendingCount()).isOne();
      assertThat(rig.flow.approve(code, OPERATOR)).isInstanceOf(PairingVerdict.Paired.class);
      assertThat(rig.direct("bob")).isEmpty();
      assertThat(rig.flow.revoke(ANN, OPERATOR)).isTrue();
      rig.store.closeCleanly();
    }
    try (AccessRig rig = rig()) {
      assertThat(rig.direct("ann")).contains(DropReason.NOT_ALLOWED);
      assertThat(rig.direct("bob")).isEmpty();
    }
  }

  @Test
  void whoIsRevokedIsNotAnsweredAndMayAskAgain() throws Exception {
    try (AccessRig rig = rig()) {
      rig.direct("ann");
      rig.flow.approve(rig.code(), OPERATOR);
      assertThat(rig.flow.revoke(ANN, OPERATOR)).isTrue();
      assertThat(rig.flow.revoke(ANN, OPERATOR)).isFalse();
      assertThat(rig.flow.revoke(new ChannelPerson("chat", "open", "ann"), OPERATOR)).isFalse();
      minute();
      assertThat(rig.direct("ann")).contains(DropReason.NOT_ALLOWED);
      assertThat(rig.flow.approve(rig.code(), OPERATOR)).isInstanceOf(PairingVerdict.Paired.class);
      assertThat(audit(rig)).hasSize(3).element(1).asString().startsWith("pairing.revoked");
    }
  }

  @Test
  void theWaitOfAStrangerCanBeEndedToo() throws Exception {
    try (AccessRig rig = rig()) {
      rig.direct("ann");
      String code = rig.code();
      assertThat(rig.flow.revoke(ANN, OPERATOR)).isTrue();
      assertThat(rig.flow.pendingCount()).isZero();
      assertThat(rig.flow.approve(code, OPERATOR)).isInstanceOf(PairingVerdict.WrongCode.class);
    }
  }

  @Test
  void aStrangerWhoGoesOnIsToldOnceAMinuteAndKeepsTheFirstCode() throws Exception {
    try (AccessRig rig = rig()) {
      rig.direct("ann");
      String code = rig.code();
      for (int i = 0; i < 10; i++) {
        rig.direct("ann");
      }
      assertThat(rig.told).hasSize(1);
      minute();
      rig.direct("ann");
      rig.direct("ann");
      assertThat(rig.told).hasSize(2);
      assertThat(rig.told.getLast()).contains("already have a code").doesNotContain(code);
      assertThat(rig.flow.approve(code, OPERATOR)).isInstanceOf(PairingVerdict.Paired.class);
    }
  }

  @Test
  void aCodeThatDidNotArriveIsReplacedByAnother() throws Exception {
    try (AccessRig rig = rig()) {
      rig.postFails = true;
      rig.direct("ann");
      String lost = rig.code();
      rig.postFails = false;
      minute();
      rig.direct("ann");
      String told = rig.code();
      assertThat(told).isNotEqualTo(lost);
      assertThat(rig.flow.pending()).hasSize(1);
      assertThat(rig.flow.approve(lost, OPERATOR)).isInstanceOf(PairingVerdict.WrongCode.class);
      assertThat(rig.flow.approve(told, OPERATOR)).isInstanceOf(PairingVerdict.Paired.class);
      assertThat(rig.count("failed")).isOne();
    }
  }

  @Test
  void threeStrangersOfAnAccountWaitAndTheFourthIsDroppedUntilOneIsLetInOrExpires()
      throws Exception {
    try (AccessRig rig = rig()) {
      for (String sender : List.of("a", "b", "c")) {
        rig.direct(sender);
      }
      String code = rig.code();
      assertThat(rig.direct("d")).contains(DropReason.NOT_ALLOWED);
      assertThat(rig.told).hasSize(3);
      assertThat(rig.count("dropped")).isOne();
      rig.flow.approve(code, OPERATOR);
      rig.direct("d");
      assertThat(rig.told.getLast()).startsWith("main dm-d: I only answer");
      rig.direct("e");
      assertThat(rig.flow.pendingCount()).isEqualTo(3);
      time.advance(Pairings.LIFE);
      assertThat(rig.flow.pendingCount()).isZero();
      rig.direct("e");
      assertThat(rig.told.getLast()).startsWith("main dm-e: I only answer");
      assertThat(rig.flow.pending()).hasSize(1);
    }
  }

  @Test
  void aFloodOfStrangersAtOnceMakesNoMoreThanThreeCodes() throws Exception {
    try (AccessRig rig = rig()) {
      rig.postsLater = true;
      for (int i = 0; i < 200; i++) {
        rig.direct("eve" + i);
      }
      assertThat(rig.waiting).hasSizeLessThanOrEqualTo(PersonNotices.RUNNING_MAX);
      rig.waiting.forEach(Runnable::run);
      assertThat(rig.told).hasSize(3);
      assertThat(rig.flow.pending()).hasSize(3);
    }
  }

  @Test
  void anExpiredCodeIsWrongAndTheNextMessageBringsAnother() throws Exception {
    try (AccessRig rig = rig()) {
      rig.direct("ann");
      String code = rig.code();
      time.advance(Pairings.LIFE.minusMillis(1));
      assertThat(rig.flow.pending()).hasSize(1);
      time.advance(Duration.ofMillis(1));
      assertThat(rig.flow.pending()).isEmpty();
      assertThat(rig.flow.approve(code, OPERATOR)).isInstanceOf(PairingVerdict.WrongCode.class);
      rig.direct("ann");
      assertThat(rig.flow.approve(rig.code(), OPERATOR)).isInstanceOf(PairingVerdict.Paired.class);
    }
  }

  @Test
  void tenWrongCodesAnHourAreLookedAtAndThenNotEvenTheRightOne() throws Exception {
    try (AccessRig rig = rig()) {
      rig.direct("ann");
      String code = rig.code();
      for (int i = 0; i < GuessLimit.WRONG_MAX; i++) {
        assertThat(rig.flow.approve(wrongCode(), OPERATOR))
            .isInstanceOf(PairingVerdict.WrongCode.class);
        minute();
      }
      assertThat(rig.flow.approve(code, OPERATOR))
          .isEqualTo(new PairingVerdict.TooManyGuesses(Duration.ofMinutes(50)));
      assertThat(rig.flow.approve(wrongCode(), OPERATOR))
          .isInstanceOf(PairingVerdict.TooManyGuesses.class);
      assertThat(rig.count("wrong_code")).isEqualTo(GuessLimit.WRONG_MAX);
      assertThat(rig.count("too_many_guesses")).isEqualTo(2);
      assertThat(rig.flow.people()).isEmpty();
      time.advance(Duration.ofMinutes(49).plusSeconds(59));
      assertThat(rig.flow.approve(code, OPERATOR))
          .isInstanceOf(PairingVerdict.TooManyGuesses.class);
      time.advance(Duration.ofSeconds(1));
      rig.direct("ann"); // the first has expired
      assertThat(rig.flow.approve(rig.code(), OPERATOR)).isInstanceOf(PairingVerdict.Paired.class);
    }
  }

  @Test
  void ofACodeOnlyItsHashIsOnDisk() throws Exception {
    String code;
    try (AccessRig rig = rig()) {
      rig.direct("ann");
      code = rig.code();
      rig.store.closeCleanly();
    }
    try (var files = Files.walk(folder)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        assertThat(
                new String(Files.readAllBytes(file), java.nio.charset.StandardCharsets.ISO_8859_1))
            .doesNotContain(code);
      }
    }
  }

  @Test
  void anIdThatIsTooLongGetsNoCode() throws Exception {
    try (AccessRig rig = rig()) {
      assertThat(rig.direct("x".repeat(PairingFlow.SENDER_UNITS_MAX + 1)))
          .contains(DropReason.NOT_ALLOWED);
      assertThat(rig.told).isEmpty();
    }
  }

  @Test
  void whoWritesInAGroupIsOfferedNothing() throws Exception {
    try (AccessRig rig = rig()) {
      assertThat(rig.inGroup(Place.GROUP, "g", "ann", true)).contains(DropReason.NOT_ALLOWED);
      assertThat(rig.inGroup(Place.THREAD, "g", "ann", true)).contains(DropReason.NOT_ALLOWED);
      assertThat(rig.told).isEmpty();
    }
  }

  /** The same id at another account may be somebody else. */
  @Test
  void aPairingHoldsForItsAccountAlone() throws Exception {
    try (AccessRig rig = rig()) {
      rig.direct("ann");
      rig.flow.approve(rig.code(), OPERATOR);
      assertThat(rig.pairings.isPaired(new ChannelPerson("chat", "open", "ann"))).isFalse();
      assertThat(rig.pairings.isPaired(new ChannelPerson("chat2", "main", "ann"))).isFalse();
      assertThat(rig.pairings.isPaired(new ChannelPerson("chat", "main", "Ann"))).isFalse();
    }
  }

  @Test
  void aFullDiskTellsNoCodeAndApprovesNothing() throws Exception {
    try (AccessRig rig = rig()) {
      rig.direct("ann");
      String code = rig.code();
      TestStore.await(() -> rig.flow.pendingCount() == 1);
      rig.store.close(); // it takes no changes any more, as with a full disk
      assertThat(rig.direct("bob")).contains(DropReason.NOT_ALLOWED);
      assertThat(rig.told).hasSize(1);
      assertThat(rig.count("failed")).isOne();
      assertThatThrownBy(() -> rig.flow.approve(code, OPERATOR)).isInstanceOf(StoreException.class);
      assertThat(rig.direct("ann")).as("not paired").contains(DropReason.NOT_ALLOWED);
    }
    try (AccessRig rig = rig()) {
      assertThat(rig.flow.people()).isEmpty();
      assertThat(rig.flow.pending()).hasSize(1);
    }
  }

  @Test
  void noMorePeopleArePairedThanFitIntoMemory() throws Exception {
    try (AccessRig rig = rig()) {
      for (int i = 0; i < Pairings.PEOPLE_MAX; i++) {
        rig.direct("p" + i);
        assertThat(rig.flow.approve(rig.code(), OPERATOR))
            .isInstanceOf(PairingVerdict.Paired.class);
      }
      rig.direct("ann");
      String code = rig.code();
      assertThat(rig.flow.approve(code, OPERATOR))
          .isEqualTo(new PairingVerdict.TooManyPeople(Pairings.PEOPLE_MAX));
      assertThat(rig.flow.revoke(new ChannelPerson("chat", "main", "p7"), OPERATOR)).isTrue();
      assertThat(rig.flow.approve(code, OPERATOR)).isInstanceOf(PairingVerdict.Paired.class);
    }
  }

  @Test
  void whoWasToldIsRememberedUpToABound() throws Exception {
    try (AccessRig rig = rig()) {
      for (int i = 0; i < PersonNotices.PEOPLE_MAX + 10; i++) {
        assertThat(rig.notices.mayTell(new ChannelPerson("chat", "main", "p" + i))).isTrue();
      }
      assertThat(rig.notices.mayTell(new ChannelPerson("chat", "main", "p10"))).isFalse();
      assertThat(rig.notices.mayTell(new ChannelPerson("chat", "main", "p9")))
          .as("forgotten")
          .isTrue();
    }
  }

  @Test
  void aMessageThatComesAgainAfterItsSenderWasPairedIsTaken() throws Exception {
    try (AccessRig rig = rig()) {
      var message = AccessRig.message("ann", "dm", "k", Origin.direct());
      assertThat(rig.judge(message)).contains(DropReason.NOT_ALLOWED);
      rig.flow.approve(rig.code(), OPERATOR);
      assertThat(rig.judge(message)).isEmpty();
    }
  }
}
