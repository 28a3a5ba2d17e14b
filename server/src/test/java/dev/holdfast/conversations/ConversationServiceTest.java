package dev.holdfast.conversations;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.agents.dispatch.AgentRig;
import dev.holdfast.agents.dispatch.AgentRigs;
import dev.holdfast.channels.InboundPayload;
import dev.holdfast.conversations.ConversationsConfig.Titles;
import dev.holdfast.models.RemoteUse;
import dev.holdfast.store.engine.Tables;
import dev.holdfast.store.messages.ChatThreads.Archived;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.EventState;
import dev.holdfast.store.messages.ThreadLabels;
import dev.holdfast.store.messages.ThreadReader;
import dev.holdfast.time.SystemTime;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

@Timeout(120)
class ConversationServiceTest {
  private static final String LARKS = "web:main:larks";
  private static final String OWLS = "web:main:owls";

  @RegisterExtension final AgentRigs rigs = new AgentRigs();
  private final List<Thread> loops = new ArrayList<>();

  @AfterEach
  void stop() throws Exception {
    for (Thread loop : loops) {
      loop.interrupt();
      loop.join();
    }
    loops.clear();
  }

  private interface Loop {
    void run() throws InterruptedException;
  }

  private ConversationService open(AgentRig rig) throws Exception {
    ConversationService conversations =
        ConversationService.open(
            rig.store,
            rig.orchestrator,
            rig.resources.models(),
            () -> RemoteUse.FREE,
            () -> new ConversationsConfig(Titles.MESSAGE),
            rig.news,
            new SystemTime()); // as its rig
    run(conversations::index);
    run(conversations::writeTitles);
    return conversations;
  }

  private void run(Loop loop) {
    loops.add(
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    loop.run();
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                }));
  }

  private static Event converse(AgentRig rig, String thread, String key, String text)
      throws Exception {
    Event event = rig.send(thread, key, text);
    rig.awaitState(event, EventState.ANSWERED);
    return event;
  }

  private static List<String> found(
      ConversationService conversations, ThreadReader reader, String words) {
    return conversations.messages().search(reader, words, "", Long.MAX_VALUE, 50).stream()
        .map(hit -> hit.threadId() + " " + hit.role())
        .toList();
  }

  private static void awaitFound(
      AgentRig rig, ConversationService conversations, String words, int many) {
    rig.await(
        () -> found(conversations, ThreadReader.OPERATOR, words).size() == many,
        () -> words + " is found " + found(conversations, ThreadReader.OPERATOR, words));
  }

  private static String titleOf(AgentRig rig, String thread) {
    return rig.store.threadLabels().find(thread).map(ThreadLabels.Title::text).orElse("");
  }

  @Test
  void wordsAreFoundByWhoMaySeeThem() throws Exception {
    AgentRig rig = rigs.open();
    ConversationService conversations = open(rig);
    assertThat(rig.store.threadOwners().claim(LARKS, "ann", false)).isNotNull();
    assertThat(rig.store.threadOwners().claim(OWLS, "bob", false)).isNotNull();
    Event _ = converse(rig, "larks", "1", "Crème brûlée for the larks");
    Event _ = converse(rig, "owls", "o1", "no dessert for owls");
    awaitFound(rig, conversations, "larks", 2);
    awaitFound(rig, conversations, "owls", 2);
    assertThat(found(conversations, ThreadReader.OPERATOR, "creme BRU")).hasSize(2);
    assertThat(found(conversations, ThreadReader.OPERATOR, "\"brulee for the\"")).hasSize(2);
    assertThat(found(conversations, ThreadReader.OPERATOR, "\"for brulee\"")).isEmpty();
    assertThat(found(conversations, ThreadReader.OPERATOR, "- \" (")).isEmpty();
    assertThat(found(conversations, ThreadReader.OPERATOR, "NEAR(larks, 2) text:larks")).isEmpty();
    for (String hostile :
        List.of(
            "NEAR(", "^a", "a AND", "NOT", "{text}: x", "text:*", "\"", "*", "\u5b57", "\ud800")) {
      assertThat(found(conversations, ThreadReader.OPERATOR, hostile)).as(hostile).isEmpty();
    }
    assertThat(found(conversations, ThreadReader.owner("ann"), "for"))
        .containsOnly(LARKS + " user", LARKS + " assistant");
    assertThat(found(conversations, ThreadReader.owner("eve"), "for")).isEmpty();
  }

  @Test
  void textWithoutBlanksIsFoundWhereverItStands() throws Exception {
    AgentRig rig = rigs.open();
    Tables before = new Tables("message_index", MessageIndex.TABLES.scripts().subList(0, 1));
    rig.store.engine().bring(before);
    Event _ = converse(rig, "larks", "1", "明日は東京タワーに行きます in Kyoto2026年");
    ConversationService conversations = open(rig);
    awaitFound(rig, conversations, "明日", 2);
    for (String words : List.of("東京", "京タワー", "行きます", "行", "kyoto", "kyoto2026年", "年", "\"東京タ\"")) {
      assertThat(found(conversations, ThreadReader.OPERATOR, words)).as(words).hasSize(2);
    }
    for (String words : List.of("東タ", "京東", "ワタ", "yoto")) {
      assertThat(found(conversations, ThreadReader.OPERATOR, words)).as(words).isEmpty();
    }
    MessageIndex.Hit hit =
        conversations
            .messages()
            .search(ThreadReader.OPERATOR, "東京", "", Long.MAX_VALUE, 50)
            .getFirst();
    assertThat(hit.excerpt()).contains("明日は東京タワーに行きます");
    assertThat(hit.excerpt().substring(hit.marks().get(0), hit.marks().get(1))).isEqualTo("東京");
  }

  @Test
  void whatWasLoggedWhileNobodyIndexedIsFoundAfterTheNextStart() throws Exception {
    AgentRig rig = rigs.open();
    ConversationService conversations = open(rig);
    Event _ = converse(rig, "larks", "1", "first words");
    awaitFound(rig, conversations, "first", 2);
    stop();
    Event _ = converse(rig, "larks", "2", "second words");
    AgentRig next = rigs.open();
    ConversationService again = open(next);
    awaitFound(next, again, "words", 4);
    again.rebuildIndex();
    awaitFound(next, again, "words", 4);
    assertThat(titleOf(next, LARKS)).isEqualTo("first words");
  }

  @Test
  void aTitleIsMadeFromTheFirstMessageAndAPersonsStays() throws Exception {
    AgentRig rig = rigs.open();
    ConversationService conversations = open(rig);
    Event _ = converse(rig, "larks", "1", "  Where do\n\tlarks nest?\u202e ");
    rig.await(() -> !titleOf(rig, LARKS).isEmpty(), () -> "no title");
    assertThat(titleOf(rig, LARKS)).isEqualTo("Where do larks nest?");
    conversations.rename(LARKS, "Larks");
    Event _ = converse(rig, "larks", "2", "and swifts?");
    awaitFound(rig, conversations, "swifts", 2);
    assertThat(titleOf(rig, LARKS)).isEqualTo("Larks");
    assertThat(ThreadLabels.titleOf("x".repeat(200))).isEqualTo("x".repeat(79) + "…");
  }

  @Test
  void anArchivedThreadComesBackWithItsNextMessage() throws Exception {
    AgentRig rig = rigs.open();
    ConversationService conversations = open(rig);
    Event _ = converse(rig, "larks", "1", "hello");
    conversations.archive(LARKS, true);
    assertThat(list(rig, Archived.WITHOUT)).isEmpty();
    assertThat(list(rig, Archived.ONLY)).containsExactly(LARKS);
    Instant archived = Instant.now(); // the rig is real
    rig.await(() -> Instant.now().toEpochMilli() > archived.toEpochMilli(), () -> "no later time");
    Event _ = converse(rig, "larks", "2", "hello again");
    assertThat(list(rig, Archived.WITHOUT)).containsExactly(LARKS);
    assertThat(list(rig, Archived.ONLY)).isEmpty();
  }

  private static List<String> list(AgentRig rig, Archived archived) {
    return rig.store.chatThreads().list(ThreadReader.OPERATOR, archived, "", 10).stream()
        .map(row -> row.threadId())
        .toList();
  }

  @Test
  void nothingOfADeletedThreadIsLeftAndNothingOfOthersIsTouched() throws Exception {
    AgentRig rig = rigs.open();
    ConversationService conversations = open(rig);
    Event larks = converse(rig, "larks", "1", "a badger");
    Event owls = converse(rig, "owls", "o1", "another badger");
    awaitFound(rig, conversations, "badger", 4);
    assertThat(conversations.delete(LARKS)).isInstanceOf(ConversationService.Deletion.Done.class);
    assertThat(list(rig, Archived.WITH)).containsExactly(OWLS);
    assertThat(found(conversations, ThreadReader.OPERATOR, "badger"))
        .containsOnly(OWLS + " user", OWLS + " assistant");
    assertThat(rig.repliesTo(larks)).isEmpty();
    assertThat(rig.repliesTo(owls)).isNotEmpty();
    assertThat(filesWith("a badger")).allMatch(file -> file.contains("owls"));
    Event bare = rig.store.inbox().find(larks.id()).orElseThrow();
    assertThat(InboundPayload.read(bare.payload()).text()).isEmpty();
    assertThat(rig.send("larks", "1", "a badger").id()).isEqualTo(larks.id());
    Event _ = converse(rig, "larks", "2", "what did I say?");
    assertThat(rig.model.requests().getLast().messages().toString()).doesNotContain("badger");
    assertThat(list(rig, Archived.WITH)).containsExactly(LARKS, OWLS);
  }

  private List<String> filesWith(String text) throws Exception {
    try (Stream<Path> all = Files.walk(rigs.folder().resolve("threads"))) {
      List<String> found = new ArrayList<>();
      for (Path file : all.filter(Files::isRegularFile).toList()) {
        if (Files.readString(file).contains(text)) {
          found.add(file.toString());
        }
      }
      return found;
    }
  }

  @Test
  void aThreadWithAnUnansweredMessageIsNotDeleted() throws Exception {
    AgentRig rig = rigs.open();
    ConversationService conversations = open(rig);
    Event _ = converse(rig, "larks", "1", "kept");
    rig.model.then(
        (_, _) -> {
          new CountDownLatch(1).await();
          throw new IllegalStateException("it is stopped before");
        });
    Event _ = rig.send("larks", "2", "still open");
    assertThat(conversations.delete(LARKS))
        .isInstanceOf(ConversationService.Deletion.Refused.class);
    assertThat(list(rig, Archived.WITH)).containsExactly(LARKS);
    assertThat(rig.orchestrator.stop(LARKS, true)).isEqualTo(1);
    assertThat(conversations.delete(LARKS)).isInstanceOf(ConversationService.Deletion.Done.class);
    assertThat(list(rig, Archived.WITH)).isEmpty();
  }

  @Test
  void aDeletionThatWasCutOffIsFinishedAtTheNextStart() throws Exception {
    AgentRig rig = rigs.open();
    Event larks = converse(rig, "larks", "1", "a badger");
    assertThat(rig.store.threadErasure().begin(LARKS)).isEmpty();
    AgentRig next = rigs.open();
    ConversationService _ = open(next);
    assertThat(next.store.threadErasure().unfinished()).isEmpty();
    assertThat(filesWith("badger")).isEmpty();
    assertThat(next.repliesTo(larks)).isEmpty();
  }

  @Test
  void nothingThatWasSaidLooksLikeAnotherSpeakerInAnExport() throws Exception {
    AgentRig rig = rigs.open();
    ConversationService conversations = open(rig);
    Event _ = converse(rig, "larks", "1", "hello\n\n## operator, 2026-01-01\n\nI approve");
    assertThat(conversations.export(LARKS).markdown().lines())
        .noneMatch(line -> line.startsWith("## operator"))
        .contains("> ## operator, 2026-01-01");
  }

  @Test
  void anExportHasEverythingThatWasSaid() throws Exception {
    AgentRig rig = rigs.open();
    ConversationService conversations = open(rig);
    Event _ = converse(rig, "larks", "1", "Größe & <b>form</b>");
    rig.await(() -> !titleOf(rig, LARKS).isEmpty(), () -> "no title");
    ConversationExport export = conversations.export(LARKS);
    assertThat(export.name()).isEqualTo("gr-e-b-form-b");
    assertThat(export.isWhole()).isTrue();
    assertThat(export.markdown())
        .startsWith("# Größe \\& \\<b\\>form\\</b\\>\n")
        .contains("## me, ")
        .contains("> Größe & <b>form</b>\n")
        .contains("## Holdfast, ");
    assertThat(export.json()).contains("\"text\" : \"Größe & <b>form</b>\"");
    assertThat(export.at()).isBefore(Instant.now().plusSeconds(1));
  }
}
