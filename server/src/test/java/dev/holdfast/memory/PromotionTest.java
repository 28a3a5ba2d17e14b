package dev.holdfast.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.Origin;
import dev.holdfast.memory.SweepConfig.GlobalPromote;
import dev.holdfast.store.engine.StoreException;
import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Lines of one conversation that all are to know. */
@Timeout(60)
class PromotionTest extends MemorySweepsFixture {
  @Test
  void aLineIsForAllWhenItWasRecalledEnoughAndAnOperatorSaysYes() throws Exception {
    proposeAll();
    Proposal proposal = sweeps.proposals().getFirst();
    assertThat(sweeps.proposals()).hasSize(1);
    assertThat(proposal.state()).isEqualTo(Proposal.State.WATCHED);
    assertThat(sweeps.approve(proposal.id(), "token:ann"))
        .isInstanceOf(MemorySweeps.Answer.Refused.class);
    recall("office", "", "OFFICE");
    assertThat(hits.of(THREAD, proposal.text()).questions()).isEqualTo(1);
    assertThat(sweeps.approve(proposal.id(), "token:ann"))
        .as("one question only")
        .isInstanceOf(MemorySweeps.Answer.Refused.class);
    recall("closes workdays");
    model.answers.add(answer());
    assertThat(sweep(false).getInteger("promoted")).isZero();
    assertThat(sweeps.proposals().getFirst().state()).isEqualTo(Proposal.State.READY);
    assertThat(global()).isEmpty();
    assertThat(sweeps.approve(proposal.id(), "token:ann"))
        .isInstanceOf(MemorySweeps.Answer.Done.class);
    assertThat(sweeps.approve(proposal.id(), "token:ann"))
        .isInstanceOf(MemorySweeps.Answer.Done.class);
    assertThat(global()).isEqualTo("- 2025-12-01: The office closes at six on workdays.");
    assertThat(Files.readString(folder.resolve("memory/PROMOTIONS.md")))
        .contains("The office closes", "token:ann", THREAD);
    assertThat(audit()).filteredOn("memory.promoted"::equals).hasSize(1);
    assertThat(sweeps.reject(proposal.id(), "x")).isInstanceOf(MemorySweeps.Answer.Refused.class);
    int version = sweeps.history("").getLast().number();
    assertThat(sweeps.restore("", version, "token:ann"))
        .isInstanceOf(MemorySweeps.Answer.Done.class);
    assertThat(global()).isEmpty();
  }

  private Proposal.State state() {
    return sweeps.proposals().getFirst().state();
  }

  @Test
  void aPromotionThatIsUndoneCanBeApprovedAgainOrRejected() throws Exception {
    promote = GlobalPromote.AUTO;
    proposeAll();
    recall("office", "closes workdays", "six");
    model.answers.add(answer());
    assertThat(sweep(false).getInteger("promoted")).isEqualTo(1);
    String id = sweeps.proposals().getFirst().id();
    Path page = folder.resolve("memory/PROMOTIONS.md");
    undo();
    await(() -> state() == Proposal.State.UNDONE && !isTextOf(page, "office closes"));
    model.answers.add(answer());
    assertThat(sweep(false).getInteger("promoted")).as("not without an operator").isZero();
    assertThat(global()).isEmpty();
    assertThat(sweeps.approve(id, "token:ann")).isInstanceOf(MemorySweeps.Answer.Done.class);
    assertThat(global()).contains("office closes");
    assertThat(page).content().contains("office closes", "token:ann");
    undo();
    assertThat(sweeps.reject(id, "token:ann")).isInstanceOf(MemorySweeps.Answer.Done.class);
    assertThat(state()).isEqualTo(Proposal.State.REJECTED);
    assertThat(sweeps.approve(id, "token:ann")).isInstanceOf(MemorySweeps.Answer.Refused.class);
    assertThat(global()).isEmpty();
  }

  private void undo() throws Exception {
    assertThat(sweeps.restore("", sweeps.history("").getLast().number(), "token:ann"))
        .isInstanceOf(MemorySweeps.Answer.Done.class);
    assertThat(global()).isEmpty();
  }

  @Test
  void whatWasPromotedAndUndoneIsDeletedWithItsConversation() throws Exception {
    promote = GlobalPromote.AUTO;
    proposeAll();
    recall("office", "closes workdays", "six");
    model.answers.add(answer());
    assertThat(sweep(false).getInteger("promoted")).isEqualTo(1);
    delete();
    assertThat(sweeps.proposals()).hasSize(1);
    undo();
    await(() -> sweeps.proposals().isEmpty());
  }

  @Test
  void aWithdrawnProposalComesBackWithItsLine() throws Exception {
    proposeAll();
    recall("office", "closes workdays", "six");
    String before = text();
    Files.writeString(file(), MINE);
    String id = sweeps.proposals().getFirst().id();
    assertThat(sweeps.approve(id, "token:ann")).isInstanceOf(MemorySweeps.Answer.Refused.class);
    assertThat(state()).isEqualTo(Proposal.State.WITHDRAWN);
    Files.writeString(file(), before);
    model.answers.add(answer());
    assertThat(sweep(false).getString("outcome")).isEqualTo("done");
    assertThat(state()).isEqualTo(Proposal.State.READY);
    assertThat(sweeps.approve(id, "token:ann")).isInstanceOf(MemorySweeps.Answer.Done.class);
  }

  @Test
  void whatWaitsForADecisionIsNotGivenUpForAnother() throws Exception {
    SweepLedger ledger = SweepLedger.open(store.engine(), store.audit());
    int most = SweepLedger.PROPOSALS_PER_THREAD_MAX;
    SweptThread first = propose(ledger, "a", 0, most + 7);
    assertThat(first.proposed()).isEqualTo(most);
    assertThat(first.story().getJsonArray("notes").encode()).contains("7 of its proposals");
    assertThat(propose(ledger, "a", 0, most).story().containsKey("notes")).isFalse();
    for (Proposal proposal : sweeps.proposals()) {
      assertThat(
              ledger.keep(
                  proposal.decided(Proposal.State.REJECTED, "x", time.now()), Optional.empty()))
          .isTrue();
    }
    assertThat(propose(ledger, "a", most, most).proposed()).isEqualTo(most);
    for (int i = 1; i < SweepLedger.PROPOSALS_MAX / most; i++) {
      assertThat(propose(ledger, "b" + i, 0, most).proposed()).isEqualTo(most);
    }
    assertThat(propose(ledger, "late", 0, 1).proposed()).isZero();
    assertThat(sweeps.proposals()).hasSize(SweepLedger.PROPOSALS_MAX + most);
  }

  private SweptThread propose(SweepLedger ledger, String thread, int from, int count)
      throws StoreException {
    List<Proposal> proposals =
        IntStream.range(from, from + count)
            .mapToObj(
                i ->
                    new Proposal(
                        thread + i,
                        thread,
                        LocalDate.EPOCH,
                        "line " + i,
                        "",
                        time.now(),
                        Proposal.State.WATCHED,
                        0,
                        List.of(),
                        "",
                        null))
            .toList();
    SweptThread swept =
        new SweptThread(
            thread, SweptThread.Outcome.UNCHANGED, time.now(), 0, 0, 0, 0, count, new JsonObject());
    return ledger.done("r" + from, swept, "", proposals, Optional.empty());
  }

  @Test
  void withAutoTheRulesDecideAndARejectedLineStaysWhereItIs() throws Exception {
    promote = GlobalPromote.AUTO;
    proposeAll();
    recall("office", "closes workdays", "six");
    model.answers.add(answer());
    assertThat(sweep(false).getInteger("promoted")).isEqualTo(1);
    assertThat(global()).contains("The office closes");
    assertThat(global()).doesNotContain("Bob", "swordfish");
    model.answers.add(answer());
    assertThat(sweep(false).getInteger("promoted")).isZero();
    assertThat(global().lines()).hasSize(1);
  }

  @Test
  void aRejectedLineIsNotProposedAgain() throws Exception {
    proposeAll();
    String id = sweeps.proposals().getFirst().id();
    assertThat(sweeps.reject(id, "token:ann")).isInstanceOf(MemorySweeps.Answer.Done.class);
    recall("office", "closes workdays", "six");
    model.answers.add(answer(change("propose", 2)));
    JsonObject _ = sweep(false);
    assertThat(sweeps.proposals())
        .extracting(Proposal::state)
        .containsExactly(Proposal.State.REJECTED);
    assertThat(sweeps.approve(id, "token:ann")).isInstanceOf(MemorySweeps.Answer.Refused.class);
  }

  private void wrote(String name) {
    sweeps.wrote(
        new InboundMessage("main", "t9", "u999", "hi", List.of(), "k9", Origin.direct(name)));
  }

  @Test
  void whoHasJustWrittenElsewhereIsNotNamedToAll() throws Exception {
    proposeAll();
    recall("office", "closes workdays", "six");
    String id = sweeps.proposals().getFirst().id();
    wrote("Óffice Miller");
    assertThat(sweeps.approve(id, "token:ann"))
        .isInstanceOfSatisfying(
            MemorySweeps.Answer.Refused.class,
            refused -> assertThat(refused.why()).contains("it names office"));
    boolean _ = store.engine().call(_ -> true); // behind what is written later
    assertThat(SweepLedger.open(store.engine(), store.audit()).people())
        .contains("u999", "Óffice Miller");
    assertThat(global()).isEmpty();
  }

  @Test
  void whatWasApprovedIsJudgedAgainBeforeItIsWritten() throws Exception {
    proposeAll();
    Proposal proposal = sweeps.proposals().getFirst();
    SweepLedger ledger = SweepLedger.open(store.engine(), store.audit());
    boolean _ =
        ledger.keep(
            proposal.decided(Proposal.State.APPROVED, "token:ann", time.now()), Optional.empty());
    wrote("Office");
    boolean _ = store.engine().call(_ -> true);
    stopLoops();
    sweeps = start();
    assertThat(global()).isEmpty();
    assertThat(sweeps.proposals())
        .singleElement()
        .satisfies(
            judged -> {
              assertThat(judged.state()).isEqualTo(Proposal.State.WATCHED);
              assertThat(judged.notes()).containsExactly("it names office");
            });
  }

  @Test
  void aLineThatASweepHasMadeIsNotForAllBeforeTomorrow() throws Exception {
    String merged = "Quux alpha is here. Quux beta is there.";
    Files.createDirectories(store.threads().of(THREAD).scratch());
    remember("k1", "Quux alpha is here.");
    remember("k2", "Quux beta is there.");
    says("1", "amy", "Hello!");
    model.answers.add(answer(change("merge", 1, 2).put("text", merged)));
    assertThat(sweep(false).getInteger("merged")).isEqualTo(2);
    assertThat(text()).startsWith("- 2025-12-01: " + merged);
    recall("quux alpha", "here beta", "there");
    model.answers.add(answer(change("propose", 1)));
    JsonObject _ = sweep(false);
    assertThat(sweeps.proposals())
        .singleElement()
        .extracting(Proposal::notes)
        .isEqualTo(List.of("it is from today"));
    time.advance(Duration.ofDays(1));
    model.answers.add(answer());
    JsonObject _ = sweep(false);
    assertThat(sweeps.proposals())
        .singleElement()
        .extracting(Proposal::state)
        .isEqualTo(Proposal.State.READY);
  }

  @Test
  void aSweepOfOneConversationPromotesItsLinesOnlyAndTheSameWordsOnce() throws Exception {
    promote = GlobalPromote.AUTO;
    proposeAll();
    recall("office", "closes workdays", "six");
    String other = "web:main:other";
    remember(other, "o1", "The office closes at six on workdays.");
    says(other, "1", "amy", "Good morning.");
    recallIn(other, "office", "closes workdays", "six");
    model.answers.add(answer());
    assertThat(sweep(other, false).getInteger("promoted")).isZero();
    assertThat(global()).isEmpty();
    model.answers.add(answer());
    assertThat(sweep(false).getInteger("promoted")).isEqualTo(1);
    model.answers.add(answer(change("propose", 1)));
    assertThat(sweep(other, false).getInteger("promoted")).isZero();
    assertThat(global().lines()).hasSize(1);
    Proposal twin = sweeps.proposals().getLast();
    assertThat(twin.threadId()).isEqualTo(other);
    assertThat(twin.state()).isEqualTo(Proposal.State.WATCHED);
    assertThat(twin.notes()).containsExactly("all conversations know it already");
    assertThat(sweeps.approve(twin.id(), "token:ann"))
        .isInstanceOf(MemorySweeps.Answer.Refused.class);
  }

  @Test
  void whatIsBeyondTheLimitOfOneSweepSaysSoAndComesWithTheNext() throws Exception {
    promotionsMax = 1;
    corpus();
    recall("office", "closes workdays", "six");
    model.answers.add(answer(change("propose", 2), change("propose", 3)));
    JsonObject _ = sweep(false);
    assertThat(sweeps.proposals())
        .extracting(Proposal::state)
        .containsExactlyInAnyOrder(Proposal.State.READY, Proposal.State.WATCHED);
    assertThat(sweeps.proposals())
        .filteredOn(proposal -> proposal.state() == Proposal.State.WATCHED)
        .allSatisfy(proposal -> assertThat(proposal.notes().getFirst()).contains("max_promotions"));
    model.answers.add(answer());
    JsonObject _ = sweep(false);
    assertThat(sweeps.proposals()).extracting(Proposal::state).containsOnly(Proposal.State.READY);
  }
}
