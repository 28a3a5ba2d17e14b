package dev.holdfast.tests.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.kit.testing.BotApiDouble;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.Setup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;

/** The guides, word for word, beside one server that was started in an empty folder. */
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Outside(
    covers = {
      "docs",
      "conf",
      "server/src/main/java/dev/holdfast/cli",
      "server/src/main/java/dev/holdfast/ingress/api",
      "plugin-api/src/main"
    })
class GuidesTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final long ANN = 77;
  private static final int DICE = 2;

  private final BotApiDouble telegram = new BotApiDouble();
  private Path folder = Path.of("");
  private @Nullable LocalServer server;

  @BeforeAll
  void start() throws IOException {
    folder = Files.createTempDirectory("holdfast-guides");
    Path plugins = Files.createDirectories(folder.resolve("plugins"));
    Path _ =
        Files.createSymbolicLink(
            plugins.resolve("bundled"),
            Setup.jar().resolve("../../../plugins/bundled").normalize());
    server = LocalServer.start(folder);
  }

  @AfterAll
  void stop() throws IOException {
    if (server != null) {
      server.close();
    }
    telegram.close();
  }

  @Test
  @Order(1)
  void theFirstBotAnswersAndHasAName() throws Exception {
    PageCommands page = PageCommands.of("guides/first-bot.md");
    assertThat(page.run(0, folder)).contains("Hello. Are you there?", "ready", "answered");
    String _ = page.run(1, folder);
    assertThat(folder.resolve("data/memory/IDENTITY.md")).content().contains("Ada");
    String _ = page.run(2, folder);
    assertThat(page.run(3, folder)).contains("is good");
  }

  @Test
  @Order(2)
  void theToolIsThereWithoutARestart() throws Exception {
    PageCommands page = PageCommands.of("guides/add-a-tool.md");
    String _ = page.run(0, folder);
    Await.until(
        "the tool answers", LIMIT, () -> page.run(2, folder).contains("is open until 18:00"));
    assertThat(page.run(1, folder)).contains("tool: office_hours");
    String _ = page.run(3, folder);
  }

  @Test
  @Order(3)
  void itDoesTasksAndPlans() throws Exception {
    String _ =
        PageCommands.of("extensions.md").run(DICE, folder); // one entry more below the guide's
    Await.until(
        "the agent is there",
        LIMIT,
        () -> PageCommands.run("holdfast agents list", folder).contains("dice"));
    assertThat(PageCommands.of("agents.md").run(0, folder)).contains("dice");
    assertThat(PageCommands.of("plans.md").run(0, folder)).contains("third");
  }

  @Test
  @Order(4)
  void theChannelIsConnectedAndAPersonLetIn() throws Exception {
    PageCommands page = PageCommands.of("guides/connect-a-channel.md");
    String setUp =
        page.blocks()
            .getFirst()
            .replace("$TOKEN", BotApiDouble.TOKEN)
            .replace("  telegram:\n", "  telegram:\n    base_url: " + telegram.url() + "\n");
    String _ = PageCommands.run(setUp, folder);
    Await.until(
        "the channel is there",
        LIMIT,
        () -> PageCommands.run("holdfast plugins list", folder).contains("channel telegram"));
    assertThat(page.run(1, folder)).contains("telegram:main");
    String _ = telegram.say(ANN, "hello");
    Matcher code =
        Pattern.compile("pair approve (\\w+)")
            .matcher(telegram.awaitShown(ANN, "pair approve", LIMIT).text());
    assertThat(code.find()).isTrue();
    String _ = PageCommands.run(page.blocks().get(2).replace("CODE", code.group(1)), folder);
    String _ = telegram.say(ANN, "am I in?");
    String _ = telegram.awaitShown(ANN, "am I in?", LIMIT).text();
  }

  @Test
  @Order(5)
  void theWeekInProductionIsLivedThrough() throws Exception {
    PageCommands page = PageCommands.of("guides/production-week.md");
    for (int block = 0; block < page.blocks().size(); block++) {
      assertThat(page.run(block, folder)).isNotEmpty();
    }
    assertThat(folder.resolve("trial/holdfast.db")).exists();
  }

  @Test
  @Order(6)
  void whatIsWrongIsFound() throws Exception {
    PageCommands page = PageCommands.of("guides/something-is-wrong.md");
    String sent = PageCommands.run("holdfast chat --json 'find me'", folder);
    Matcher event = Pattern.compile("\"event_id\" ?: ?\"([^\"]+)\"").matcher(sent);
    assertThat(event.find()).as(sent).isTrue();
    for (String block : page.blocks()) {
      assertThat(PageCommands.run(block.replace("EVENT", event.group(1)), folder)).isNotEmpty();
    }
  }

  @Test
  @Order(7)
  void theTerminalIsSetUp() throws Exception {
    PageCommands page = PageCommands.of("terminal.md");
    assertThat(PageCommands.run(page.blocks().getFirst() + "complete -p holdfast", folder))
        .contains("complete");
    String _ =
        PageCommands.run(
            page.blocks().get(1).replace("/usr/share/man/man1", folder.toString()), folder);
    assertThat(folder.resolve("holdfast.1")).content().contains(".TH HOLDFAST 1");
  }

  @Test
  @Order(8)
  void theFirstChannelOfAPluginIsBuiltLoadedAndAnswers() throws Exception {
    PageCommands page = PageCommands.of("plugins.md");
    String _ = page.run(1, folder);
    String _ = page.run(2, folder);
    Path answer = folder.resolve("mailbox/out/ann-1.1.txt");
    Await.until("the answer is there", LIMIT, () -> Files.exists(answer));
    assertThat(answer).hasContent("echo: hello");
    assertThat(folder.resolve("mailbox/in")).isEmptyDirectory();
    assertThat(folder.resolve("plugins/mailbox-1.0.0.jar")).exists();
  }
}
