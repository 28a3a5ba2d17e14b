package dev.holdfast.memory;

import dev.holdfast.config.Secrets;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.engine.TextFiles;
import dev.holdfast.store.ledgers.AuditEntry;
import dev.holdfast.time.Time;
import dev.holdfast.tools.memory.Memory;
import dev.holdfast.tools.memory.MemoryPage;
import dev.holdfast.tools.memory.MemoryVersion;
import dev.holdfast.tools.memory.RecallHits;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings lines of single chat threads to all of them. Each is written under the mark of its
 * proposal, so that it stands there once, whatever is cut off. Thread-safe; everything blocks.
 */
final class Promotions {
  private static final Logger LOG = LoggerFactory.getLogger(Promotions.class);
  private static final String BY = "promotion";
  private static final String FILE = "PROMOTIONS.md";
  private static final String KNOWN = "all conversations know it already";
  private static final String LATER =
      "it waits for a later sweep (memory.sweep.max_promotions), or for approve";
  private static final int TOLD_MAX = 500;
  private static final Set<Proposal.State> WAITING =
      EnumSet.of(Proposal.State.WATCHED, Proposal.State.READY, Proposal.State.WITHDRAWN);

  private final Memory memory;
  private final RecallHits recalls;
  private final SweepLedger ledger;
  private final TextFiles texts;
  private final Path file;
  private final Secrets secrets;
  private final Supplier<NamedPeople> people;
  private final Supplier<SweepConfig> config;
  private final SweepMetrics metrics;
  private final Time time;
  private final ZoneId zone;

  /**
   * @param people whom the server knows
   */
  Promotions(
      Memory memory,
      RecallHits recalls,
      SweepLedger ledger,
      TextFiles texts,
      Path dataDir,
      Secrets secrets,
      Supplier<NamedPeople> people,
      Supplier<SweepConfig> config,
      SweepMetrics metrics,
      Time time,
      ZoneId zone) {
    this.memory = memory;
    this.recalls = recalls;
    this.ledger = ledger;
    this.texts = texts;
    this.file = dataDir.resolve("memory").resolve(FILE);
    this.secrets = secrets;
    this.people = people;
    this.config = config;
    this.metrics = metrics;
    this.time = time;
    this.zone = zone;
  }

  /** What became of an operator's word. */
  sealed interface Decision {
    record Done(Proposal proposal) implements Decision {}

    record Unknown() implements Decision {}

    /** Nothing was changed. */
    record Refused(String why) implements Decision {}
  }

  /**
   * Judges what is proposed anew. Returns how many lines all threads know from now on.
   *
   * @param threadId whose lines; empty for those of all
   */
  synchronized int judgeAll(String threadId) throws StoreException {
    try {
      finishInterrupted();
    } catch (IOException e) {
      LOG.warn("memory: what all threads know cannot be looked at: {}", e.getMessage());
    }
    SweepConfig limits = config.get();
    boolean isAuto = limits.globalPromote() == SweepConfig.GlobalPromote.AUTO;
    List<Proposal> fresh = new ArrayList<>();
    for (Proposal proposal : ledger.proposals()) {
      boolean isOurs = threadId.isEmpty() || proposal.threadId().equals(threadId);
      if (isOurs && WAITING.contains(proposal.state())) {
        Proposal now = judge(proposal, limits);
        boolean isBeforeOperator =
            proposal.state() == Proposal.State.READY && !(isAuto && now.notes().isEmpty());
        if (now.state() == Proposal.State.READY && !isBeforeOperator) {
          fresh.add(now);
        } else if (!now.equals(proposal)) {
          boolean _ = ledger.keep(now, Optional.empty());
        }
      }
    }
    fresh.sort(Comparator.comparingDouble(Proposal::score).reversed());
    int forward = 0;
    int promoted = 0;
    for (Proposal ready : fresh) {
      if (forward == limits.promotionsMax()) {
        boolean _ =
            ledger.keep(
                ready.judged(Proposal.State.WATCHED, ready.score(), List.of(LATER)),
                Optional.empty());
      } else if (!isAuto || !ready.notes().isEmpty()) {
        forward += ledger.keep(ready, Optional.empty()) ? 1 : 0;
      } else if (promote(ready, "server") instanceof Decision.Done) {
        forward++;
        promoted++;
      }
    }
    return promoted;
  }

  private Proposal judge(Proposal proposal, SweepConfig limits) {
    if (!isRemembered(proposal)) {
      return proposal.judged(
          Proposal.State.WITHDRAWN,
          proposal.score(),
          List.of("its conversation does not have the line any more"));
    }
    RecallHits.Found found = recalls.of(proposal.threadId(), proposal.text());
    double score = limits.weights().score(found, time.now());
    List<String> missing = missing(proposal, found, score, limits);
    SharingRules.Judgement sharing = sharing(proposal);
    missing.addAll(sharing.refusals());
    return missing.isEmpty()
        ? proposal.judged(Proposal.State.READY, score, sharing.doubts())
        : proposal.judged(Proposal.State.WATCHED, score, missing);
  }

  private SharingRules.Judgement sharing(Proposal proposal) {
    return new SharingRules(secrets, people.get()).judge(proposal.text());
  }

  private List<String> missing(
      Proposal proposal, RecallHits.Found found, double score, SweepConfig limits) {
    List<String> missing = new ArrayList<>();
    if (found.hits() < limits.recallsMin() || found.questions() < limits.queriesMin()) {
      missing.add(
          "recalled %d of %d times, by %d of %d questions"
              .formatted(
                  found.hits(), limits.recallsMin(), found.questions(), limits.queriesMin()));
    }
    if (score < limits.scoreMin()) {
      missing.add(
          String.format(Locale.ROOT, "its score is %.2f of %.2f", score, limits.scoreMin()));
    }
    LocalDate today = LocalDate.ofInstant(time.now(), zone);
    if (!proposal.day().isBefore(today) || isMadeSince(today, proposal)) {
      missing.add("it is from today");
    }
    if (isKnownToAll(proposal)) {
      missing.add(KNOWN);
    }
    return missing;
  }

  /** Whether a sweep of that day has made it: a merge has the date of what it replaces. */
  private boolean isMadeSince(LocalDate day, Proposal proposal) {
    Memory.Scope scope = new Memory.Scope.OfThread(proposal.threadId());
    try {
      for (MemoryVersion version : memory.history(scope).reversed()) {
        if (LocalDate.ofInstant(version.replacedAt(), zone).isBefore(day)) {
          return false;
        }
        if (version.by().equals(ThreadSweep.BY)
            && !holds(memory.version(scope, version.number()).orElse(new byte[0]), proposal)) {
          return true;
        }
      }
      return false;
    } catch (IOException e) {
      LOG.warn("memory: versions of {} cannot be read: {}", proposal.threadId(), e.getMessage());
      return true; // the next sweep looks again
    }
  }

  private static boolean holds(byte[] content, Proposal proposal) {
    return MemoryPage.of(content).facts().stream()
        .anyMatch(fact -> fact.text().equals(proposal.text()));
  }

  private boolean isRemembered(Proposal proposal) {
    try {
      return has(new Memory.Scope.OfThread(proposal.threadId()), proposal.text());
    } catch (IOException e) {
      LOG.warn("memory: of {} cannot be read: {}", proposal.threadId(), e.getMessage());
      return true; // the next sweep looks again
    }
  }

  /** By another proposal, of another thread. */
  private boolean isKnownToAll(Proposal proposal) {
    try {
      return has(new Memory.Scope.Global(), Memory.folded(proposal.text()));
    } catch (IOException e) {
      LOG.warn("memory: of all threads cannot be read: {}", e.getMessage());
      return true; // the next sweep looks again
    }
  }

  private boolean has(Memory.Scope scope, String text) throws IOException {
    return MemoryPage.of(memory.bytes(scope)).facts().stream()
        .anyMatch(fact -> fact.text().equals(text));
  }

  /** An operator says yes. */
  synchronized Decision approve(String id, String by) throws StoreException {
    Optional<Proposal> found = find(id);
    if (found.isEmpty()) {
      return new Decision.Unknown();
    }
    Proposal proposal = found.get();
    return switch (proposal.state()) {
      case READY, WATCHED, WITHDRAWN, UNDONE -> {
        Proposal now = judge(proposal, config.get());
        boolean isReady = now.state() == Proposal.State.READY;
        if (proposal.state() == Proposal.State.UNDONE) {
          now = now.judged(Proposal.State.UNDONE, now.score(), now.notes());
        }
        if (isReady) {
          yield promote(now, by);
        }
        boolean _ = ledger.keep(now, Optional.empty());
        yield new Decision.Refused("not yet: " + String.join("; ", now.notes()));
      }
      case APPROVED -> promote(proposal, proposal.decidedBy());
      case PROMOTED -> new Decision.Done(proposal);
      case REJECTED -> new Decision.Refused("it is rejected");
    };
  }

  /** An operator says no, for good. */
  synchronized Decision reject(String id, String by) throws StoreException {
    Optional<Proposal> found = find(id);
    if (found.isEmpty()) {
      return new Decision.Unknown();
    }
    return switch (found.get().state()) {
      case READY, WATCHED, WITHDRAWN, UNDONE -> {
        Proposal rejected = found.get().decided(Proposal.State.REJECTED, by, time.now());
        yield ledger.keep(rejected, Optional.of(told("memory.proposal_rejected", rejected, by)))
            ? new Decision.Done(rejected)
            : new Decision.Unknown();
      }
      case REJECTED -> new Decision.Done(found.get());
      case APPROVED, PROMOTED ->
          new Decision.Refused("all conversations know it already: holdfast memory restore");
    };
  }

  /** As it is now: a person may have changed what all threads know. */
  private Optional<Proposal> find(String id) throws StoreException {
    try {
      review(ledger.proposal(id).stream().toList());
    } catch (IOException e) {
      LOG.warn("memory: what all threads know cannot be looked at: {}", e.getMessage());
    }
    return ledger.proposal(id);
  }

  /** Whether all threads still know what was promoted. */
  private void review(List<Proposal> proposals) throws StoreException, IOException {
    Memory.Scope all = new Memory.Scope.Global();
    Predicate<String> keys = memory.keys(all);
    String text = memory.text(all);
    for (Proposal proposal : proposals) {
      boolean wasKnown = proposal.state() == Proposal.State.PROMOTED;
      if (!wasKnown && proposal.state() != Proposal.State.UNDONE) {
        continue;
      }
      boolean isKnown =
          keys.test(key(proposal)) || text.contains(": " + Memory.folded(proposal.text()));
      if (!isKnown && proposal.threadId().isEmpty()) {
        ledger.forget(proposal); // of a deleted thread
      } else if (isKnown != wasKnown) {
        boolean _ =
            ledger.keep(
                proposal.judged(
                    isKnown ? Proposal.State.PROMOTED : Proposal.State.UNDONE,
                    proposal.score(),
                    List.of()),
                Optional.empty());
      }
    }
  }

  private static String key(Proposal proposal) {
    return BY + "\n" + proposal.id();
  }

  private Decision promote(Proposal proposal, String by) throws StoreException {
    if (isKnownToAll(proposal) && !isWritten(proposal)) {
      Proposal known = proposal.judged(Proposal.State.WATCHED, proposal.score(), List.of(KNOWN));
      boolean _ = ledger.keep(known, Optional.empty());
      return new Decision.Refused(KNOWN);
    }
    Proposal approved = proposal.decided(Proposal.State.APPROVED, by, time.now());
    if (!ledger.keep(approved, Optional.empty())) {
      return new Decision.Unknown(); // deleted with its conversation
    }
    try {
      // Once more: somebody may have written since it was judged, or since the last run approved
      // it.
      List<String> refusals = sharing(proposal).refusals();
      if (!refusals.isEmpty() && !memory.has(new Memory.Scope.Global(), key(proposal))) {
        boolean wasUndone = proposal.state() == Proposal.State.UNDONE;
        Proposal.State left = wasUndone ? Proposal.State.UNDONE : Proposal.State.WATCHED;
        boolean _ =
            ledger.keep(proposal.judged(left, proposal.score(), refusals), Optional.empty());
        return new Decision.Refused("not yet: " + String.join("; ", refusals));
      }
      Memory.Added added =
          memory.add(
              new Memory.Scope.Global(),
              key(proposal),
              proposal.day(),
              proposal.text(),
              BY,
              time.now());
      if (added == Memory.Added.FULL) {
        boolean _ = ledger.keep(proposal, Optional.empty());
        return new Decision.Refused(
            "the memory of all conversations is full (tools.memory.max_bytes)");
      }
      Proposal promoted = proposal.decided(Proposal.State.PROMOTED, by, time.now());
      boolean _ = ledger.keep(promoted, Optional.of(told("memory.promoted", promoted, by)));
      metrics.promoted();
      writeDown();
      return new Decision.Done(promoted);
    } catch (IOException e) {
      LOG.warn("memory: {} will be promoted later: {}", proposal.id(), e.getMessage());
      return new Decision.Refused("the disk refused; it is tried again at the next sweep");
    }
  }

  private boolean isWritten(Proposal proposal) {
    try {
      return memory.keys(new Memory.Scope.Global()).test(key(proposal));
    } catch (IOException _) {
      return false;
    }
  }

  private static AuditEntry told(String what, Proposal proposal, String by) {
    JsonObject details = new JsonObject().put("proposal", proposal.id()).put("scope", "global");
    return new AuditEntry(what, "", "", proposal.threadId(), by, details.encode());
  }

  /** What was approved when the last run ended, and what {@code PROMOTIONS.md} does not tell. */
  synchronized void finishInterrupted() throws StoreException, IOException {
    for (Proposal proposal : ledger.proposals()) {
      if (proposal.state() == Proposal.State.APPROVED) {
        Decision _ = promote(proposal, proposal.decidedBy());
      }
    }
    review(ledger.proposals());
    writeDown();
  }

  /** Why each line was promoted, for people: made anew from what is stored. */
  private void writeDown() throws IOException {
    StringBuilder page =
        new StringBuilder(
            "# What all conversations know, and why\n\nWritten by Holdfast; changes are lost.\n");
    List<Proposal> promoted =
        ledger.proposals().reversed().stream()
            .filter(proposal -> proposal.state() == Proposal.State.PROMOTED)
            .limit(TOLD_MAX)
            .toList();
    for (Proposal proposal : promoted) {
      page.append(
          String.format(
              Locale.ROOT,
              "%n## %s: %s%n%n- From: %s%n- Score: %.2f%n- The model's reason: %s%n- Approved: %s,"
                  + " %s%n",
              proposal.day(),
              Memory.folded(proposal.text()),
              proposal.threadId().isEmpty() ? "a deleted conversation" : proposal.threadId(),
              proposal.score(),
              Memory.folded(proposal.why()),
              proposal.decidedBy(),
              proposal.decidedAt()));
    }
    byte[] content = page.toString().getBytes(StandardCharsets.UTF_8);
    boolean isNew = !promoted.isEmpty() || Files.exists(file);
    if (isNew
        && !Arrays.equals(content, texts.readBytes(file, content.length + 1).orElse(new byte[0]))) {
      texts.replace(file, content);
    }
  }
}
