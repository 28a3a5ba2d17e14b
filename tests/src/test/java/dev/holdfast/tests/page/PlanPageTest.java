package dev.holdfast.tests.page;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.ColorScheme;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.ServerApi;
import dev.holdfast.tests.harness.ShellRig;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Plans on the page: how far they are, who does what, and what waits for a person. */
@Outside(
    covers = {
      "server/src/main/resources/web",
      "server/src/main/java/dev/holdfast/ingress",
      "tests/src/test/java/dev/holdfast/tests/page/ChatPage.java"
    })
@InBrowser
class PlanPageTest {
  private static final Duration LIMIT = Duration.ofSeconds(40);
  private static final String PLANS = "/api/v1/plans";
  private static final String HOSTILE = "<img src=x onerror=\"window.hit = 1\"><b>bold</b>";

  @RegisterExtension static final BrowserPages PAGES = BrowserPages.FREE;

  /** With no plans but those of one test. */
  @RegisterExtension static final BrowserPages UNPLANNED = BrowserPages.MODEL;

  private static Map<String, Object> step(
      String name, String action, Map<String, Object> payload, String... needs) {
    return Map.of(
        "name",
        name,
        "agent",
        "worker",
        "action",
        action,
        "payload",
        payload,
        "needs",
        List.of(needs));
  }

  private static Map<String, Object> asking(String question, String kind) {
    return Map.of("ask", Map.of("question", question, "kind", kind));
  }

  private static void plan(ChatPage chat, String goal, List<Map<String, Object>> steps) {
    chat.say(ShellRig.call("plan", Map.of("goal", goal, "steps", steps)));
    assertThat(card(chat)).hasCount(1);
  }

  private static Locator card(ChatPage chat) {
    return chat.page().locator("#log .plan-card");
  }

  private static Locator step(Locator card, String name) {
    return card.locator(".plan-step:has(.step-name:text-is(\"" + name + "\"))");
  }

  private static void awaitStep(Locator card, String name, String state) {
    assertThat(step(card, name)).hasAttribute("data-state", state);
  }

  private static void awaitPlan(Locator card, String state) {
    assertThat(card).hasAttribute("data-state", state);
  }

  private static Locator button(Locator within, String label) {
    return within.locator("button:text-is(\"" + label + "\")");
  }

  private static void fitsTheScreen(ChatPage chat) {
    Object wide =
        chat.evaluate(
            "[document.documentElement, ...document.querySelectorAll('#scroller, .plans-body')]"
                + ".some((node) => node.scrollWidth > node.clientWidth)");
    Assertions.assertThat(wide).isEqualTo(false);
  }

  private static JsonNode waitingTask() {
    return Await.value(
        "a task waits",
        LIMIT,
        () ->
            PAGES
                .api()
                .get("/api/v1/tasks?state=awaiting_input")
                .json()
                .path("tasks")
                .valueStream()
                .findFirst());
  }

  private static void answer(JsonNode task, String answer) throws IOException {
    String path = "/api/v1/tasks/" + task.path("task_id").asText() + "/input";
    Assertions.assertThat(PAGES.api().post(path, Map.of("answer", answer)).status()).isEqualTo(200);
  }

  @Test
  void stepsMoveWithoutAReloadAndAnApprovalIsGivenOnThePage() {
    Browser.NewContextOptions tall = new Browser.NewContextOptions().setViewportSize(1200, 1150);
    try (ChatPage chat = PAGES.open(tall)) {
      chat.evaluate("window.sameDocument = true");
      plan(
          chat,
          "Publish the harvest figures",
          List.of(
              step("count-pears", "look", Map.of("sleep", 3, "say", Map.of("pears", 41))),
              step("count-plums", "look", Map.of("say", Map.of("plums", 70))),
              step(
                  "add-up", "keep", Map.of("say", "${count-pears.pears} and ${count-plums.plums}")),
              step(
                  "publish", "act", asking("Publish 41 pears and 70 plums?", "approval"), "add-up"),
              step("thank", "look", Map.of(), "publish")));
      assertThat(card(chat)).hasAttribute("role", "group");
      assertThat(card(chat).locator("h3")).hasText("Publish the harvest figures");
      awaitStep(card(chat), "count-pears", "in_progress");
      assertThat(step(card(chat), "count-pears").locator(".step-who")).hasText("worker: look");
      assertThat(step(card(chat), "add-up").locator(".step-state"))
          .hasText(Pattern.compile("waiting for count-pears(, count-plums)?"));
      awaitStep(card(chat), "count-plums", "succeeded");
      awaitStep(card(chat), "add-up", "succeeded");
      awaitPlan(card(chat), "waiting");
      Locator question = step(card(chat), "publish").locator(".question");
      assertThat(question).containsText("Publish 41 pears and 70 plums?");
      assertThat(question).containsText("the step fails");
      assertThat(question.locator(".time-left")).hasText(Pattern.compile("6 d 23 h left"));
      assertThat(card(chat).locator(".plan-about")).containsText("3 of 5 steps done");
      assertThat(step(card(chat), "thank").locator(".step-state")).hasText("waiting for publish");
      assertThat(chat.page().locator("#plans-waiting")).hasText("1 waiting");
      chat.page().locator("#waiting").focus();
      chat.page().keyboard().press("Enter");
      assertThat(button(question, "Allow")).isFocused();
      chat.picture("plans-light");
      chat.picture("plans-card", card(chat));
      chat.page().keyboard().press("Enter");
      awaitPlan(card(chat), "succeeded");
      assertThat(question).hasCount(0);
      assertThat(step(card(chat), "publish").locator(".step-answers"))
          .hasText(Pattern.compile("Publish 41 pears and 70 plums\\? Allow operator, .*"));
      assertThat(chat.page().locator("#waiting")).isHidden();
      assertThat(chat.page().locator("#plans-waiting")).isEmpty();
      step(card(chat), "add-up").locator("summary").click();
      assertThat(step(card(chat), "add-up").locator(".step-body")).containsText("41 and 70");
      chat.picture("plans-light-done");
      Assertions.assertThat(chat.evaluate("window.sameDocument")).isEqualTo(true);
      Assertions.assertThat(chat.complaints()).isEmpty();
    }
  }

  @Test
  void aPlanIsFoundAgainAfterAReloadAndAKillAndAnAnswerFromElsewhereIsShown() throws IOException {
    try (ChatPage chat = PAGES.open()) {
      plan(
          chat,
          "Paint the fence",
          List.of(
              step("choose", "look", asking("Which colour?", "answer")),
              step("paint", "keep", Map.of("sleep", 2), "choose")));
      awaitStep(card(chat), "choose", "awaiting_input");
      Locator field = card(chat).locator(".question textarea");
      field.fill("half a th");
      chat.page().reload();
      awaitStep(card(chat), "choose", "awaiting_input");
      assertThat(chat.page().locator("#log > .msg.user + .msg.plan"))
          .hasCount(1); // below the message that led to it
      PAGES.rig().restart();
      chat.awaitConnected();
      awaitStep(card(chat), "choose", "awaiting_input");
      field.fill("half a thought");
      field.focus();
      answer(waitingTask(), "green");
      assertThat(card(chat).locator(".question")).hasCount(0);
      assertThat(step(card(chat), "choose")).isFocused();
      assertThat(step(card(chat), "choose").locator(".step-answers"))
          .containsText("Which colour? green");
      awaitPlan(card(chat), "succeeded");
      chat.page().reload();
      awaitPlan(card(chat), "succeeded");
      assertThat(card(chat).locator(".plan-step")).hasCount(0); // folded away
      card(chat).locator("summary").focus();
      chat.page().keyboard().press("Enter");
      awaitStep(card(chat), "paint", "succeeded");
      assertThat(step(card(chat), "choose").locator(".step-answers")).containsText("green");
      Assertions.assertThat(chat.complaints()).isEmpty();
    }
  }

  @Test
  void anAnswerThatIsRefusedIsSaidAndAFieldKeepsItsText() {
    try (ChatPage chat = PAGES.open()) {
      plan(chat, "Paint it", List.of(step("choose", "look", asking("Which colour?", "answer"))));
      Locator question = card(chat).locator(".question");
      chat.page()
          .route(
              "**/tasks/*/input",
              route ->
                  route.fulfill(
                      new Route.FulfillOptions()
                          .setStatus(409)
                          .setContentType("application/json")
                          .setBody("{\"error\":{\"code\":\"X\",\"message\":\"too late\"}}")));
      question.locator("textarea").fill("blue");
      question.locator("textarea").press("Enter");
      assertThat(question.locator("[role=alert]")).containsText("Reason: “too late”.");
      assertThat(question.locator("textarea")).hasValue("blue");
      chat.page().unroute("**/tasks/*/input");
      button(question, "Send answer").click();
      assertThat(card(chat).locator(".step-answers")).containsText("Which colour? blue");
      awaitPlan(card(chat), "succeeded");
    }
  }

  @Test
  void aCredentialIsTypedBlindAndNowhereShown() throws IOException {
    try (ChatPage chat = PAGES.open()) {
      plan(
          chat,
          "Open the shop",
          List.of(step("unlock", "keep", asking("The key of the shop?", "credential"))));
      Locator field = card(chat).locator(".question input");
      assertThat(field).hasAttribute("type", "password");
      assertThat(field).hasAttribute("autocomplete", "off");
      field.fill("hush-4417");
      chat.picture("plans-credential");
      field.press("Enter");
      assertThat(card(chat).locator(".step-answers")).containsText("The key of the shop? given");
      awaitPlan(card(chat), "succeeded");
      step(card(chat), "unlock").locator("summary").click();
      assertThat(card(chat).locator(".step-body")).containsText("[credential]");
      String seen =
          chat.evaluate("document.documentElement.outerHTML + JSON.stringify(localStorage)")
              .toString();
      Assertions.assertThat(seen).doesNotContain("hush-4417");
      String plan = String.valueOf(card(chat).getAttribute("data-plan"));
      Assertions.assertThat(PAGES.api().get(PLANS + "/" + plan).body()).doesNotContain("hush-4417");
    }
  }

  @Test
  void aFailureSaysItsReasonAndIsTriedAgain() {
    try (ChatPage chat = PAGES.open()) {
      plan(
          chat,
          "Bake a cake",
          List.of(
              step("flour", "look", Map.of()),
              step("oven", "look", Map.of("code", 400, "error", "the oven\nis cold")),
              step("eat", "look", Map.of(), "oven")));
      awaitPlan(card(chat), "failed");
      card(chat).scrollIntoViewIfNeeded();
      assertThat(step(card(chat), "oven").locator(".step-state")).hasText("given up");
      assertThat(step(card(chat), "oven").locator(".step-why"))
          .hasText(Pattern.compile("INVALID_REQUEST: .*the oven is cold.*"));
      awaitStep(card(chat), "eat", "failed");
      assertThat(step(card(chat), "eat").locator(".step-state")).hasText("not run");
      assertThat(card(chat).locator(".plan-reason")).containsText("oven");
      assertThat(card(chat).locator(".plan-about"))
          .containsText("1 of 3 steps done, 1 given up, 1 not run");
      chat.picture("plans-failed");
      button(step(card(chat), "oven"), "Try again").click();
      assertThat(card(chat)).hasCount(2);
      Locator again = card(chat).last();
      assertThat(again.locator(".plan-about")).containsText("again");
      awaitPlan(again, "failed");
      awaitStep(again, "flour", "succeeded");
      assertThat(button(card(chat).first(), "Try again")).hasCount(0);
      Assertions.assertThat(chat.complaints()).isEmpty();
    }
  }

  @Test
  void theKeyboardCancelsAPlanAfterAsking() {
    try (ChatPage chat = PAGES.open()) {
      plan(
          chat,
          "Count the sheep",
          List.of(
              step("count", "look", Map.of("sleep", 120)),
              step("sleep", "look", Map.of(), "count")));
      awaitStep(card(chat), "count", "in_progress");
      assertThat(step(card(chat), "count").locator(".when"))
          .hasText(Pattern.compile("[1-9]\\d* s"));
      button(card(chat), "Cancel plan").focus();
      chat.page().keyboard().press("Enter");
      assertThat(button(card(chat), "Keep it")).isFocused();
      chat.page().keyboard().press("Escape");
      assertThat(button(card(chat), "Cancel plan")).isFocused();
      chat.page().keyboard().press("Enter");
      chat.page().keyboard().press("Shift+Tab");
      assertThat(button(card(chat), "Really cancel")).isFocused();
      chat.page().keyboard().press("Enter");
      awaitPlan(card(chat), "cancelled");
      awaitStep(card(chat), "count", "cancelled");
      awaitStep(card(chat), "sleep", "cancelled");
      assertThat(card(chat).locator(".plan-reason")).hasText("Reason: cancelled by operator");
      assertThat(button(card(chat), "Cancel plan")).hasCount(0);
      Assertions.assertThat(chat.complaints()).isEmpty();
    }
  }

  @Test
  void whatOthersWroteIsTextOnASmallDarkScreen() throws IOException {
    Browser.NewContextOptions phone =
        new Browser.NewContextOptions().setViewportSize(390, 780).setColorScheme(ColorScheme.DARK);
    try (ChatPage chat = PAGES.open(phone)) {
      String longWord = "x".repeat(300);
      plan(
          chat,
          HOSTILE + " " + longWord,
          List.of(
              step("look", "look", Map.of("say", HOSTILE)),
              step("breaks", "look", Map.of("code", 400, "error", HOSTILE + longWord)),
              step(
                  "asks",
                  "act",
                  Map.of(
                      "ask",
                      Map.of(
                          "question",
                          HOSTILE + "\n" + longWord,
                          "choices",
                          List.of("a", HOSTILE)))),
              step("waits-for-the-answer-of-a-person", "look", Map.of(), "asks")));
      awaitPlan(card(chat), "waiting");
      awaitStep(card(chat), "look", "succeeded");
      awaitStep(card(chat), "breaks", "dead_lettered");
      assertThat(card(chat).locator("h3")).containsText(HOSTILE);
      assertThat(card(chat).locator(".question")).containsText(HOSTILE);
      step(card(chat), "look").locator("summary").click();
      assertThat(step(card(chat), "look").locator(".step-body")).containsText("<b>bold</b>");
      fitsTheScreen(chat);
      chat.page().locator("#waiting").click();
      chat.picture("plans-phone-dark");
      button(card(chat).locator(".question"), HOSTILE.replace("\"", "\\\"")).click();
      assertThat(card(chat).locator(".step-answers strong")).hasText(HOSTILE);
      chat.page().locator("#menu").click();
      chat.page().locator("#open-plans").click();
      chat.page().locator("#plans-list button").first().click();
      assertThat(chat.page().locator("#plans-card h3")).containsText(HOSTILE);
      assertThat(chat.page().locator("#plans-card .plan-history")).containsText("succeeded");
      fitsTheScreen(chat);
      chat.picture("plans-phone-dark-history");
      Assertions.assertThat(chat.evaluate("window.hit === undefined")).isEqualTo(true);
      assertThat(chat.page().locator(".plan-card :is(img, b)")).hasCount(0);
      Assertions.assertThat(chat.complaints()).isEmpty();
    }
  }

  @Test
  void whoMayOnlyReadSeesNoButtons() throws IOException {
    Map<String, Object> message =
        Map.of(
            "text",
            ShellRig.call(
                "plan",
                Map.of(
                    "goal",
                    "Read me",
                    "steps",
                    List.of(
                        step("asks", "act", asking("May I?", "approval")),
                        step("breaks", "look", Map.of("code", 400))))),
            "shared",
            true);
    String event =
        PAGES
            .api()
            .post("/api/v1/threads/" + PAGES.thread() + "/messages", message)
            .json()
            .path("event_id")
            .asText();
    PAGES.api().awaitState(event, ServerApi.FINAL, LIMIT);
    String task = waitingTask().path("task_id").asText();
    try (BrowserContext context = PAGES.browser().newContext()) {
      Page page = context.newPage();
      page.navigate(PAGES.rig().setup().url("/chat#web%3Amain%3A" + PAGES.thread()));
      page.locator("#token").fill(BrowserPages.READER);
      page.locator("#token").press("Enter");
      Locator card = page.locator("#log .plan-card");
      assertThat(card.locator(".question")).containsText("May I?");
      assertThat(card.locator(".question")).containsText("but not answer it");
      assertThat(card.locator("button")).hasCount(0);
      PAGES.api().post("/api/v1/tasks/" + task + "/input", Map.of("answer", "Reject"));
      awaitPlan(card, "succeeded");
      awaitStep(card, "breaks", "dead_lettered");
      assertThat(card.locator("button")).hasCount(0);
    }
  }

  @Test
  void allPlansAreListedInPagesAndByStateAndOneIsFollowed() throws IOException {
    for (int number = 1; number <= 22; number++) {
      make("Look number " + number, "look", number == 1 ? Map.of("code", 400) : Map.of());
    }
    String open = make("Ask for leave", "act", asking("May I go?", "approval"));
    Await.until(
        "the others have ended",
        LIMIT,
        () -> UNPLANNED.api().get(PLANS + "?state=open").json().path("plans").size() == 1);
    try (ChatPage chat = UNPLANNED.open()) {
      Locator rows = chat.page().locator("#plans-list button");
      Locator dialog = chat.page().locator("#plans");
      chat.page().locator("#open-plans").focus();
      chat.page().keyboard().press("Enter");
      assertThat(rows).hasCount(20);
      assertThat(rows.first()).containsText("Ask for leave");
      assertThat(rows.first()).containsText("waiting for a person");
      chat.picture("plans-list");
      chat.page() // it takes longer than the page waits between two looks at the newest
          .route(
              url -> url.contains("before="),
              route -> {
                Await.pause(Duration.ofSeconds(4));
                route.resume();
              });
      chat.page().locator("#plans-more").click();
      assertThat(rows).hasCount(23);
      assertThat(chat.page().locator("#plans-more")).isHidden();
      assertThat(rows.nth(20)).isFocused();
      chat.page().locator("#plans-state").selectOption("failed");
      assertThat(rows).hasCount(1);
      assertThat(rows).containsText("Look number 1");
      chat.page().locator("#plans-state").selectOption("cancelled");
      assertThat(chat.page().locator("#plans-none")).isVisible();
      chat.page().locator("#plans-state").selectOption("awaiting_input");
      rows.first().focus();
      chat.page().keyboard().press("Enter");
      assertThat(chat.page().locator("#plans-back")).isFocused();
      Locator card = chat.page().locator("#plans-card .plan-card");
      assertThat(card.locator(".plan-history")).containsText("in progress → awaiting input");
      chat.picture("plans-one");
      UNPLANNED.api().post(PLANS + "/" + open + "/cancel", Map.of());
      awaitPlan(card, "cancelled");
      assertThat(card.locator(".plan-history")).containsText("awaiting input → cancelled");
      assertThat(chat.page().locator("#plans-thread")).isHidden();
      chat.page().locator("#plans-back").click();
      assertThat(rows).hasCount(0);
      chat.page().keyboard().press("Escape");
      assertThat(dialog).isHidden();
      assertThat(chat.page().locator("#open-plans")).isFocused();
      Assertions.assertThat(chat.complaints()).isEmpty();
      Assertions.assertThat(chat.foreignRequests()).isEmpty();
    }
  }

  private static String make(String goal, String action, Map<String, Object> payload)
      throws IOException {
    Map<String, Object> body =
        Map.of("goal", goal, "agent", "worker", "action", action, "payload", payload);
    return UNPLANNED.api().post(PLANS, body).json().path("plan_id").asText();
  }

  @Test
  void aPlanOfAnotherConversationStaysThere() throws IOException {
    try (ChatPage chat = PAGES.open()) {
      plan(chat, "Mow the lawn", List.of(step("mow", "look", Map.of("sleep", 120))));
      String mine = chat.threadId();
      chat.page().locator("#new-thread").click();
      assertThat(card(chat)).hasCount(0);
      chat.page().locator("#open-plans").click();
      chat.page().locator("#plans-list button").first().click();
      chat.page().locator("#plans-thread").click();
      assertThat(card(chat)).hasCount(1);
      Assertions.assertThat(chat.threadId()).isEqualTo(mine);
      Set<String> goals =
          Set.copyOf(PAGES.api().get(PLANS + "?state=open").json().findValuesAsText("goal"));
      Assertions.assertThat(goals).containsExactly("Mow the lawn");
    }
  }
}
