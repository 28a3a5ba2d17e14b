package dev.holdfast.tests.bus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.HoldfastCommand;
import dev.holdfast.tests.harness.Json;
import dev.holdfast.tests.harness.NatsAsker;
import dev.holdfast.tests.harness.NatsOperator;
import dev.holdfast.tests.harness.NatsServer;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.ServerRig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The bus and the channel with credentials files, at a nats-server that knows users by JWTs. */
@Outside(
    covers = {
      "server/src/main/java/dev/holdfast/bus",
      "nats-kit/src/main",
      "plugins/nats/src/main"
    },
    needs = "nats-server:nats-server")
@Timeout(420)
class NatsOperatorModeTest {
  /** The channel tries again after a minute when it is not let in. */
  private static final Duration LIMIT = Duration.ofSeconds(150);

  /** Time enough to connect with. */
  private static final Duration SOON = Duration.ofSeconds(20);

  private static final String REFUSED = "does not let Holdfast in";

  private static Path folder;
  private static Path busFile;
  private static Path channelFile;
  private static NatsOperator operator;
  private static NatsServer nats;
  private static BusRig bus;
  private static NatsAsker asker;
  private static int asked;

  @BeforeAll
  static void open() throws Exception {
    folder = ServerRig.newFolder("holdfast-creds");
    busFile = folder.resolve("bus.creds");
    channelFile = folder.resolve("channel.creds");
    operator = new NatsOperator();
    nats = new NatsServer().configured(operator.config(), Map.of()).start();
    bus = new BusRig(nats, new ServerRig());
    Path reader = folder.resolve("reader.creds");
    operator.user().write(reader, null);
    bus.readWith(reader);
    Map<String, Object> account = new HashMap<>(NatsAsker.account(nats.url()));
    account.put("creds", channelFile.toString());
    bus.rig()
        .setup()
        .plugin("nats")
        .set("broker.nats.creds", busFile.toString())
        .setNamed("channels.nats.accounts", "main", account);
    asker = new NatsAsker(nats.url(), operator.user().handler());
    operator.user().write(busFile, null);
    operator.user().write(channelFile, null);
    bus.rig().start();
    asker.awaitConsumer(LIMIT);
  }

  @AfterAll
  static void close() {
    if (bus != null) {
      bus.rig().close();
      bus.close();
    } else if (nats != null) {
      nats.close();
    }
    ServerRig.delete(folder);
  }

  @AfterEach
  void noKeyIsShown() throws Exception {
    assertThat(bus.rig().server().output() + conditions()).doesNotContain(operator.secrets());
  }

  private static String conditions() throws IOException {
    return bus.rig().api().get("/api/v1/conditions").body();
  }

  private static void awaitTrouble(String type, String... words) {
    Await.until(
        type + " says " + String.join(", ", words),
        LIMIT,
        () ->
            Json.read(conditions())
                .path("conditions")
                .valueStream()
                .filter(each -> each.path("type").asText().equals(type))
                .map(each -> each.path("message").asText())
                .anyMatch(message -> holds(message, words)));
  }

  private static boolean holds(String text, String... words) {
    for (String word : words) {
      if (!text.contains(word)) {
        return false;
      }
    }
    return true;
  }

  private static String check() throws IOException {
    return bus.rig().api().post("/api/v1/channels/nats/check", Map.of()).body();
  }

  private static void ask(int count) throws Exception {
    asker.ask(count);
    asked += count;
  }

  private static void assertNothingIsLost() throws Exception {
    asker.awaitAnswers(asked, LIMIT);
    asker.assertAnsweredOnceInOrder();
    bus.assertAllPublished();
  }

  private static void write(NatsOperator.User user, @Nullable Duration valid) {
    user.write(busFile, valid);
    user.write(channelFile, valid);
  }

  /** Lets both connect with what their files say now. */
  private static void restartNats() throws Exception {
    nats.kill9();
    nats.start();
    bus.say(3);
    ask(4);
    assertNothingIsLost();
  }

  private static void awaitNotLetIn() {
    awaitTrouble("bus", REFUSED, "check broker.nats.creds", busFile.toString());
    awaitTrouble("listener/nats:main", "(AUTH)", "Check its credentials");
    assertThat(bus.rig().server().output())
        .contains("does not let the account in", channelFile.toString());
  }

  private static void assertSaid(String words) throws Exception {
    awaitTrouble("bus", "broker.nats.creds", busFile.toString(), words);
    assertThat(check()).contains("creds", channelFile.toString(), words);
  }

  @Test
  void anExpiredOrUselessFileIsNamedAndItsSuccessorIsUsedWithoutARestart() throws Exception {
    bus.say(3);
    ask(4);
    assertNothingIsLost();
    write(operator.user(), SOON);
    restartNats();
    awaitNotLetIn();
    assertThat(bus.rig().server().output()).contains("User Authentication Expired");
    bus.say(5);
    ask(8);
    bus.awaitAnswered();
    bus.assertReadyAndDegraded();

    Files.delete(busFile);
    Files.delete(channelFile);
    assertSaid("does not exist");
    NatsOperator other = new NatsOperator();
    write(other.user(), null);
    assertSaid("does not let");
    HoldfastCommand.Result doctor = HoldfastCommand.run(bus.rig().setup(), "doctor");
    assertThat(doctor.out() + doctor.err())
        .contains(REFUSED, "broker.nats.creds", busFile.toString())
        .doesNotContain(other.secrets());
    Files.writeString(busFile, "");
    Files.writeString(channelFile, "");
    assertSaid("is not a credentials file");
    NatsOperator.User twin = operator.user();
    operator.user().write(busFile, null, twin);
    operator.user().write(channelFile, null, twin);
    assertSaid("does not let");
    assertThat(bus.rig().server().output()).doesNotContain(other.secrets());

    write(operator.user(), null);
    assertNothingIsLost();
  }

  @Test
  void aRevokedUserIsNotLetInAndItsSuccessorIs() throws Exception {
    NatsOperator.User user = operator.user();
    write(user, null);
    restartNats();
    operator.revoke(user);
    nats.configured(operator.config(), Map.of()).reload();
    awaitNotLetIn();
    bus.say(5);
    write(operator.user(), null);
    bus.assertAllPublished();
    assertThat(check()).contains("NATS can be reached at " + nats.url() + " (nats-server");
  }
}
