package dev.holdfast.agents.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.agents.context.Attachments;
import dev.holdfast.agents.turn.ThreadsConfig.WhileBusy;
import dev.holdfast.api.Attachment;
import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.Message;
import dev.holdfast.api.StoredFile;
import dev.holdfast.api.Tool;
import dev.holdfast.api.ToolCall;
import dev.holdfast.channels.Channels;
import dev.holdfast.channels.FileChannel;
import dev.holdfast.channels.MessageFiles;
import dev.holdfast.media.AttachmentsConfig;
import dev.holdfast.media.Samples;
import dev.holdfast.net.WebFetcher.Bounds;
import dev.holdfast.net.WebFetcher.Fetched;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.EventState;
import dev.holdfast.store.messages.ReplyFile;
import dev.holdfast.time.ManualTime;
import dev.holdfast.tools.AttachFileTool;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

@Timeout(120)
class AttachmentTurnTest {
  private static final AttachmentsConfig CONFIG =
      new AttachmentsConfig(
          3,
          100_000,
          150_000,
          Duration.ofSeconds(20),
          1_000_000,
          new AttachmentsConfig.Images(50_000, 2, 80_000));

  @RegisterExtension final AgentRigs rigs = new AgentRigs();
  private final ScriptedProvider model = rigs.model;
  private final Map<String, byte[]> web = new HashMap<>();
  private final List<String> fetched = Collections.synchronizedList(new ArrayList<>());
  private Attachments.@Nullable Source source;

  private AgentRig world(Tool... tools) throws Exception {
    rigs.options.attachments = new Attachments(source == null ? this::fetch : source, CONFIG);
    rigs.options.tools = List.of(tools);
    return rigs.open();
  }

  private Fetched fetch(String from, String account, Attachment attachment, Bounds bounds)
      throws CallFailedException {
    String url = attachment.url();
    fetched.add(url);
    byte[] bytes = web.get(url);
    if (bytes == null) {
      return new Fetched(url, 404, "", new byte[0], false);
    }
    boolean cut = bytes.length > bounds.bytesMax();
    return new Fetched(url, 200, "text/html", cut ? new byte[0] : bytes, cut);
  }

  private Attachment file(String name, byte[] bytes) {
    String url = "https://files.example.org/" + web.size();
    web.put(url, bytes);
    return new Attachment(name, "application/x-claimed", url, -1);
  }

  private Message.User shown(int request) {
    return model.requests().get(request).messages().stream()
        .filter(Message.User.class::isInstance)
        .map(Message.User.class::cast)
        .toList()
        .getLast();
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private Path threadFolder(AgentRig world, Event event) {
    return world.store.threads().of(event.threadId()).folder();
  }

  @Test
  void anImageIsShownAndOtherFilesAreToldOfWithTheirPath() throws Exception {
    AgentRig world = world();
    Event event =
        world.sendFiles(
            "web:main",
            "t",
            "k",
            file("../../a.png", Samples.png(64, 32)),
            file("n.csv", utf8("a,b")));
    world.answerOf(event);
    Message.User user = shown(0);
    assertThat(user.text())
        .startsWith("look\n")
        .contains("[attachment \"a.png\": image/png, 64x32, ", "; shown]")
        .contains("[attachment \"n.csv\": text/plain, 3 bytes, file attachments/")
        .doesNotContain("..");
    StoredFile image = user.images().getFirst();
    assertThat(image.mediaType()).isEqualTo("image/png");
    assertThat(Files.readAllBytes(image.file())).isEqualTo(Samples.png(64, 32));
    assertThat(image.file().getParent())
        .isEqualTo(threadFolder(world, event).resolve("attachments"));
    try (var copies = Files.list(threadFolder(world, event).resolve("scratch/attachments"))) {
      assertThat(copies.map(copy -> copy.getFileName().toString()))
          .allMatch(name -> name.matches("[0-9a-f-]+-[12]\\.(png|txt)"))
          .hasSize(2);
    }
  }

  @Test
  void whatCannotBeHadIsToldAndTheMessageIsAnswered() throws Exception {
    AgentRig world = world();
    Event event =
        world.sendFiles(
            "web:main",
            "t",
            "k",
            new Attachment("gone.pdf", "", "https://files.example.org/none", -1),
            file("large.bin", new byte[120_000]),
            new Attachment("said.bin", "", "https://files.example.org/never", 999_999),
            file("fourth.txt", utf8("x")));
    assertThat(world.answerOf(event)).startsWith("heard: ");
    assertThat(shown(0).text())
        .contains("\"gone.pdf\": not available, its server answered 404")
        .contains("\"large.bin\": not available, it has more than")
        .contains("\"said.bin\": not available, it has more than")
        .contains("\"fourth.txt\": not available, there were more than 3 files");
    assertThat(fetched).doesNotContain("https://files.example.org/never");
  }

  @Test
  void whatOnlySeemsToBeAnImageIsNotShown() throws Exception {
    AgentRig world = world();
    world.answerOf(
        world.sendFiles("web:main", "t", "k", file("evil.png", utf8("\u0089PNG not at all"))));
    assertThat(shown(0).images()).isEmpty();
    assertThat(shown(0).text()).contains("evil.png\": text/plain");
  }

  @Test
  void theNewestImagesWinWithinTheLimitsOfARequest() throws Exception {
    AgentRig world = world();
    for (int i = 1; i <= 3; i++) {
      world.answerOf(
          world.sendFiles("web:main", "t", "k" + i, file(i + ".png", Samples.png(10 + i, 9))));
    }
    List<Message.User> users =
        model.requests().getLast().messages().stream()
            .filter(Message.User.class::isInstance)
            .map(Message.User.class::cast)
            .toList();
    assertThat(users).extracting(user -> user.images().size()).containsExactly(0, 1, 1);
    assertThat(users.getFirst().text()).contains("not shown: only the newest are");
  }

  /** F45: a poisoned image must not make each later request of the chat thread fail. */
  @Test
  void anImageThatTheModelRefusesIsToldInWordsFromThenOn() throws Exception {
    model.fails(FailureCode.INVALID_REQUEST, 1).says("I cannot see it").says("fine").says("seen");
    AgentRig world = world();
    assertThat(
            world.answerOf(
                world.sendFiles("web:main", "t", "k1", file("bad.png", Samples.png(9, 9)))))
        .isEqualTo("I cannot see it");
    assertThat(shown(0).images()).hasSize(1);
    assertThat(shown(1).images()).isEmpty();
    assertThat(shown(1).text()).contains("not shown: the model refused it");
    rigs.close();
    AgentRig again = world();
    assertThat(again.answerOf(again.send("t", "k2", "and now?"))).isEqualTo("fine");
    assertThat(model.requests().get(2).messages())
        .allMatch(message -> !(message instanceof Message.User user) || user.images().isEmpty());
    again.answerOf(again.sendFiles("web:main", "t", "k3", file("good.png", Samples.png(8, 8))));
    assertThat(shown(3).images()).extracting(StoredFile::name).containsExactly("good.png");
  }

  @Test
  void aRefusalThatIsNotAboutImagesIsNotHeldAgainstThem() throws Exception {
    model.fails(FailureCode.INVALID_REQUEST, 2).says("better");
    AgentRig world = world();
    Event event = world.sendFiles("web:main", "t", "k1", file("a.png", Samples.png(9, 9)));
    world.awaitState(event, EventState.DEAD_LETTERED);
    world.answerOf(world.send("t", "k2", "again"));
    assertThat(
            model.requests().getLast().messages().stream()
                .filter(Message.User.class::isInstance)
                .mapToLong(message -> ((Message.User) message).images().size())
                .sum())
        .isEqualTo(1);
  }

  @Test
  void aStopInTheMiddleOfADownloadFreesTheThread() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch never = new CountDownLatch(1);
    source =
        (_, _, _, _) -> {
          begun.countDown();
          never.await();
          throw new AssertionError("nobody opened it");
        };
    AgentRig world = world();
    Event event = world.sendFiles("web:main", "t", "k1", file("a.png", new byte[1]));
    begun.await();
    world.orchestrator.stop("web:main:t", false);
    world.awaitState(event, EventState.CANCELLED);
    assertThat(world.answerOf(world.send("t", "k2", "still there?"))).contains("still there?");
    assertThat(world.store.threads().of("web:main:t").readLog(10).getFirst()).contains("look");
  }

  @Test
  void whatWaitsBehindADownloadThatIsStoppedStaysToBeRead() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    AgentRig world = worldThatCollectsBehindADownload(begun);
    Event file = world.sendFiles("web:main", "t", "k1", file("a.png", new byte[1]));
    Event text = world.send("t", "k2", "and this");
    begun.await();
    world.orchestrator.stop("web:main:t", false);
    world.awaitState(file, EventState.CANCELLED);
    world.awaitState(text, EventState.CANCELLED);
    assertThat(world.store.threads().of("web:main:t").readLog(10))
        .anyMatch(line -> line.contains("look"))
        .anyMatch(line -> line.contains("and this"));
  }

  @Test
  void whatWaitsBehindADownloadThatTakesTooLongStaysToBeRead() throws Exception {
    ObstructedTime time = new ObstructedTime();
    rigs.options.time = time;
    CountDownLatch begun = new CountDownLatch(1);
    AgentRig world = worldThatCollectsBehindADownload(begun);
    world.sendFiles("web:main", "t", "k1", file("a.png", new byte[1]));
    Event text = world.send("t", "k2", "and this");
    begun.await();
    time.advance(rigs.options.turnTimeout);
    world.awaitState(text, EventState.DEAD_LETTERED);
    assertThat(world.store.threads().of("web:main:t").readLog(10))
        .anyMatch(line -> line.contains("look"))
        .anyMatch(line -> line.contains("and this"));
  }

  /** Two messages that come now have one turn, in which a download does not end. */
  private AgentRig worldThatCollectsBehindADownload(CountDownLatch begun) throws Exception {
    rigs.options.whileBusy = WhileBusy.COLLECT;
    source =
        (_, _, _, _) -> {
          begun.countDown();
          new CountDownLatch(1).await();
          throw new AssertionError("nobody opened it");
        };
    CountDownLatch first = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    model.then(
        (_, _) -> {
          first.countDown();
          go.await();
          return ScriptedProvider.text("first");
        });
    AgentRig world = world();
    world.send("t", "k0", "first");
    first.await();
    Thread.ofVirtual()
        .start(
            () -> {
              world.await(
                  () -> world.orchestrator.find("web:main:t").orElseThrow().waiting() == 2,
                  () -> "not waiting");
              go.countDown();
            });
    return world;
  }

  @Test
  void aDownloadThatACrashCutOffIsDoneAgain() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    source =
        (_, _, _, _) -> {
          begun.countDown();
          new CountDownLatch(1).await();
          throw new AssertionError("nobody opened it");
        };
    AgentRig world = world();
    Event event = world.sendFiles("web:main", "t", "k1", file("a.png", Samples.png(5, 5)));
    begun.await();
    rigs.close();
    source = null;
    AgentRig again = world();
    again.answerOf(event);
    assertThat(shown(0).images()).hasSize(1);
  }

  @Test
  void aFileThatHasVanishedIsToldInWords() throws Exception {
    AgentRig world = world();
    Event event = world.sendFiles("web:main", "t", "k1", file("a.png", Samples.png(9, 9)));
    world.answerOf(event);
    Files.delete(shown(0).images().getFirst().file());
    world.answerOf(world.send("t", "k2", "again"));
    Message.User first = (Message.User) model.requests().getLast().messages().getFirst();
    assertThat(first.images()).isEmpty();
    assertThat(first.text()).contains("not shown: it is no longer available");
  }

  @Test
  void onlyTheChatPageNamesFilesThatAreThereAlready() throws Exception {
    AgentRig world = world();
    world
        .store
        .threads()
        .of("web:main:t")
        .attachments()
        .put("up-1.png", Samples.png(9, 9), 1_000_000);
    Attachment uploaded = new Attachment("a.png", "", "upload:up-1.png", 1);
    Attachment traversing = new Attachment("b.png", "", "upload:../meta.json", 1);
    world.answerOf(world.sendFiles("web:main", "t", "k1", uploaded, traversing));
    assertThat(shown(0).images()).hasSize(1);
    assertThat(shown(0).text()).contains("\"b.png\": not available");
    world.answerOf(world.sendFiles("webhook:ci", "t", "k2", uploaded));
    assertThat(shown(1).text()).contains("only the chat page uploads files");
    assertThat(fetched).isEmpty();
  }

  @Test
  void anAttachedFileGoesWithTheAnswerOnce() throws Exception {
    AgentRig[] here = new AgentRig[1];
    Tool attach = new AttachFileTool(id -> here[0].store.threads().of(id).attachments(), CONFIG);
    Path scratch;
    model
        .calls(
            new ToolCall("c1", "attach_file", "{\"path\":\"a.txt\"}"),
            new ToolCall("c2", "attach_file", "{\"path\":\"none.txt\"}"))
        .says("");
    here[0] = world(attach);
    scratch = here[0].store.threads().of("web:main:t").scratch();
    Files.writeString(scratch.resolve("a.txt"), "hello");
    Event event = here[0].send("t", "k1", "give me a.txt");
    assertThat(here[0].answerOf(event)).isEqualTo("Here is what you asked for.");
    List<ReplyFile> files =
        ReplyFile.read(here[0].store.outbox().ofEvent(event.id()).getLast().reply().files());
    assertThat(files).extracting(ReplyFile::name).containsExactly("a.txt");
    assertThat(here[0].store.threads().of("web:main:t").readLog(10).getLast())
        .contains("\"attachments\":[{\"name\":\"a.txt\"");
    Event next = here[0].send("t", "k2", "thanks");
    here[0].answerOf(next);
    assertThat(here[0].store.outbox().ofEvent(next.id()).getLast().reply().files()).isEmpty();
  }

  @Test
  void aFailedFetchIsTriedOnceMore() throws Exception {
    int[] tries = {0};
    source =
        (from, account, file, bounds) -> {
          if (tries[0]++ == 0) {
            throw new CallFailedException(Failure.of(FailureCode.NETWORK, "no way"));
          }
          return fetch(from, account, file, bounds);
        };
    AgentRig world = world();
    world.answerOf(world.sendFiles("web:main", "t", "k1", file("a.png", Samples.png(9, 9))));
    assertThat(shown(0).images()).hasSize(1);
  }

  /** Through the seam that the server uses, with an address that means nothing to the web. */
  private Attachments.Source channelFiles(Channels channels) {
    MessageFiles files =
        new MessageFiles(
            channels,
            (url, _) -> {
              throw new AssertionError("fetched from the web: " + url);
            },
            new ManualTime());
    return files::fetch;
  }

  @Test
  void aFileOfAChannelThatFetchesIsShownWhateverItsAddress() throws Exception {
    FileChannel channel = new FileChannel(_ -> Samples.png(9, 9));
    source = channelFiles(new Channels(List.of(channel)));
    AgentRig world = world();
    Attachment photo = new Attachment("photo.png", "", "telegram:AgACAgIAAxk", -1);
    world.answerOf(world.sendFiles("files:main", "t", "k1", photo));
    assertThat(shown(0).images()).extracting(StoredFile::name).containsExactly("photo.png");
    assertThat(channel.asked()).containsExactly("main telegram:AgACAgIAAxk");
  }

  @Test
  void whatAChannelDoesNotGiveIsToldInWords() throws Exception {
    int[] calls = {0};
    FileChannel channel =
        new FileChannel(
            most ->
                switch (++calls[0]) {
                  case 1 -> new byte[Math.toIntExact(most) + 1];
                  case 2 ->
                      throw new CallFailedException(
                          Failure.of(FailureCode.AUTH, "the token was revoked"));
                  default -> throw new IllegalStateException("no reason");
                });
    source = channelFiles(new Channels(List.of(channel)));
    AgentRig world = world();
    world.answerOf(
        world.sendFiles(
            "files:main",
            "t",
            "k1",
            new Attachment("large", "", "files:1", -1),
            new Attachment("secret", "", "files:2", -1),
            new Attachment("broken", "", "files:3", -1)));
    assertThat(shown(0).text())
        .contains("\"large\": not available, it has more than")
        .contains("\"secret\": not available, the token was revoked")
        .contains("\"broken\": not available, the channel failed");
    assertThat(channel.asked()).as("what may pass is tried twice").hasSize(4);
  }

  @Test
  void aFileOfAChannelThatIsAwayIsToldInWordsAndNotFetchedFromTheWeb() throws Exception {
    source = channelFiles(new Channels(List.of()));
    AgentRig world = world();
    Attachment photo = new Attachment("photo.png", "", "http://127.0.0.1:1/token", -1);
    world.answerOf(world.sendFiles("files:main", "t", "k1", photo));
    assertThat(shown(0).text())
        .contains("\"photo.png\": not available, the channel files is not available");
  }
}
