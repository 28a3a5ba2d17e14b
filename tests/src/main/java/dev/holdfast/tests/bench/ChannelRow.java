package dev.holdfast.tests.bench;

import dev.holdfast.kit.testing.BotApiDouble;
import dev.holdfast.kit.testing.GraphApiDouble;
import dev.holdfast.kit.testing.SlackDouble;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Json;
import dev.holdfast.tests.harness.Setup;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * How soon a platform is told that a message is on disk, at 500 messages a second, beside the
 * generic webhook at the same rate.
 */
final class ChannelRow implements Row {
  private static final int PER_SECOND = 500;
  private static final int PEOPLE = 1_000;
  private static final int CONNECTIONS = 64;
  private static final String SLACK_SECRET = "8f742231b10e8888abcd99yyyzzz85a5";

  @Override
  public void run(Scale scale, Report report) throws Exception {
    String generic;
    try (HeldRig held = new HeldRig();
        LoadClient client = new LoadClient(held.rig().start().setup().httpPort(), CONNECTIONS)) {
      generic = measured(scale, client);
      report.figure("acks of the generic webhook at " + PER_SECOND + "/s", generic, "");
    }
    try (HeldRig held = new HeldRig();
        BotApiDouble telegram = new BotApiDouble()) {
      report.figure("acks of telegram, by its webhook", telegram(scale, held, telegram), generic);
    }
    try (HeldRig held = new HeldRig();
        GraphApiDouble meta = new GraphApiDouble()) {
      report.figure("acks of whatsapp", whatsapp(scale, held, meta), generic);
    }
    try (HeldRig held = new HeldRig();
        SlackDouble slack = new SlackDouble()) {
      report.figure("acks of slack, by the Events API", slackEvents(scale, held, slack), generic);
    }
    try (HeldRig held = new HeldRig();
        SlackDouble slack = new SlackDouble()) {
      report.figure("acks of slack, over a socket", slackSocket(scale, held, slack), generic);
    }
  }

  private static String measured(Scale scale, LoadClient client) {
    LoadResult _ = client.steady(PER_SECOND, scale.span(12));
    LoadResult result = client.steady(PER_SECOND, scale.span(30));
    return Report.percentiles(result.latency()) + result.trouble();
  }

  private static String telegram(Scale scale, HeldRig held, BotApiDouble telegram)
      throws IOException {
    Setup setup = held.rig().setup();
    setup
        .set("channels.telegram.base_url", telegram.url())
        .set("channels.telegram.public_url", setup.url(""))
        .set(
            "channels.telegram.accounts.main",
            account(Map.of("token", BotApiDouble.TOKEN, "mode", "webhook")));
    start(held, "telegram");
    Await.until(
        "the webhook is set", Duration.ofSeconds(20), () -> !telegram.webhookSecret().isEmpty());
    String secret = telegram.webhookSecret();
    Map<String, String> headers =
        Map.of("content-type", "application/json", "x-telegram-bot-api-secret-token", secret);
    try (LoadClient client =
        new LoadClient(
            setup.httpPort(),
            CONNECTIONS,
            number ->
                new Delivery("/webhooks/telegram/main", headers, telegramUpdate(number + 1)))) {
      return measured(scale, client);
    }
  }

  private static String telegramUpdate(long number) {
    long person = 1 + number % PEOPLE;
    return Json.write(
        Map.of(
            "update_id",
            number,
            "message",
            Map.of(
                "message_id",
                number,
                "date",
                1_700_000_000,
                "text",
                "please answer " + LoadClient.FILLER,
                "chat",
                Map.of("id", person, "type", "private"),
                "from",
                Map.of("id", person, "is_bot", false, "first_name", "Ann"))));
  }

  private static String whatsapp(Scale scale, HeldRig held, GraphApiDouble meta)
      throws IOException {
    Map<String, Object> account =
        account(
            Map.of(
                "token", GraphApiDouble.TOKEN,
                "app_secret", GraphApiDouble.APP_SECRET,
                "verify_token", "verify",
                "phone_number_id", GraphApiDouble.NUMBER));
    Setup setup = held.rig().setup();
    setup
        .set("channels.whatsapp.base_url", meta.url())
        .set("channels.whatsapp.accounts.main", account);
    start(held, "whatsapp");
    try (LoadClient client =
        new LoadClient(setup.httpPort(), CONNECTIONS, ChannelRow::whatsappDelivery)) {
      return measured(scale, client);
    }
  }

  private static Delivery whatsappDelivery(long number) {
    String body =
        GraphApiDouble.delivery(
            "messages",
            List.of(
                GraphApiDouble.text(
                    "US." + number % PEOPLE,
                    "wamid." + number,
                    "please answer " + LoadClient.FILLER)));
    Map<String, String> headers =
        Map.of(
            "content-type",
            "application/json",
            "x-hub-signature-256",
            GraphApiDouble.signature(body));
    return new Delivery("/webhooks/whatsapp/main", headers, body);
  }

  private static String slackEvents(Scale scale, HeldRig held, SlackDouble slack)
      throws IOException {
    slack(held, slack, Map.of("signing_secret", SLACK_SECRET));
    try (LoadClient client =
        new LoadClient(held.rig().setup().httpPort(), CONNECTIONS, ChannelRow::slackEvent)) {
      return measured(scale, client);
    }
  }

  private static Delivery slackEvent(long number) {
    Map<String, Object> event =
        Map.of(
            "type",
            "message",
            "channel",
            "D" + number % PEOPLE,
            "user",
            "U" + number % PEOPLE,
            "ts",
            1_700_000_000L + number + ".000001",
            "text",
            "please answer " + LoadClient.FILLER);
    String body =
        Json.write(
            Map.of(
                "type",
                "event_callback",
                "team_id",
                "T1",
                "event_id",
                "Ev" + number,
                "event",
                event));
    String at = Long.toString(Instant.now().getEpochSecond());
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("content-type", "application/json");
    headers.put("x-slack-request-timestamp", at);
    headers.put("x-slack-signature", "v0=" + hmac("v0:" + at + ":" + body));
    return new Delivery("/webhooks/slack/main", headers, body);
  }

  private static String hmac(String content) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(SLACK_SECRET.getBytes(StandardCharsets.US_ASCII), "HmacSHA256"));
      return HexFormat.of().formatHex(mac.doFinal(content.getBytes(StandardCharsets.UTF_8)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * A latency counts from the moment at which the message was due, as {@link LoadClient} has it.
   */
  private static String slackSocket(Scale scale, HeldRig held, SlackDouble slack) throws Exception {
    slack(held, slack, Map.of("app_token", SlackDouble.APP_TOKEN));
    Await.until("a socket is open", Duration.ofSeconds(20), slack::hasSocket);
    Histogram _ = overSocket(slack, scale.span(12));
    return Report.percentiles(overSocket(slack, scale.span(30)));
  }

  private static Histogram overSocket(SlackDouble slack, Duration span)
      throws InterruptedException {
    int total = (int) (PER_SECOND * span.toSeconds());
    Histogram latency = new ConcurrentHistogram(3);
    Map<String, Long> due = new ConcurrentHashMap<>();
    CountDownLatch acknowledged = new CountDownLatch(total);
    slack.onAcknowledged(
        key -> {
          latency.recordValue(System.nanoTime() - due.getOrDefault(key, 0L));
          acknowledged.countDown();
        });
    long start = System.nanoTime();
    AtomicInteger next = new AtomicInteger();
    try (ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor()) {
      Runnable tick =
          () -> {
            while (next.get() < total
                && LoadClient.dueAt(start, next.get(), PER_SECOND) <= System.nanoTime()) {
              int number = next.getAndIncrement();
              long dueAt = LoadClient.dueAt(start, number, PER_SECOND);
              slack.say(
                  number % PEOPLE,
                  "please answer " + LoadClient.FILLER,
                  key -> due.put(key, dueAt));
            }
          };
      var _ = timer.scheduleAtFixedRate(tick, 0, 1, TimeUnit.MILLISECONDS);
      if (!acknowledged.await(span.toSeconds() + 60, TimeUnit.SECONDS)) {
        throw new IllegalStateException(acknowledged.getCount() + " were never acknowledged");
      }
      timer.shutdownNow();
    }
    return latency;
  }

  private static void slack(HeldRig held, SlackDouble slack, Map<String, ?> keys)
      throws IOException {
    Map<String, Object> account = account(keys);
    account.put("bot_token", SlackDouble.BOT_TOKEN);
    account.put("mode", keys.containsKey("app_token") ? "socket" : "events");
    held.rig()
        .setup()
        .set("channels.slack.base_url", slack.baseUrl())
        .set("channels.slack.accounts.main", account);
    start(held, "slack");
  }

  private static Map<String, Object> account(Map<String, ?> keys) {
    Map<String, Object> account = new LinkedHashMap<>(keys);
    account.put("allow", Map.of("users", List.of("*")));
    account.put("person_per_minute", 10_000);
    return account;
  }

  private static void start(HeldRig held, String plugin) throws IOException {
    held.rig().setup().plugin(plugin);
    held.rig().start();
    Await.until(
        "the channel is there",
        Duration.ofSeconds(20),
        () -> held.rig().api().get("/api/v1/plugins").body().contains("channel " + plugin));
  }
}
