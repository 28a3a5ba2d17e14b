package dev.holdfast.tests.bus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.HoldfastCommand;
import dev.holdfast.tests.harness.NatsServer;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.ServerRig;
import io.nats.client.Connection;
import io.nats.client.JetStreamManagement;
import io.nats.client.Nats;
import io.nats.client.api.DiscardPolicy;
import io.nats.client.api.RetentionPolicy;
import io.nats.client.api.StorageType;
import io.nats.client.api.StreamConfiguration;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What {@code doctor} says of the stream: it looks and changes nothing. */
@Outside(
    covers = {"server/src/main/java/dev/holdfast/bus", "nats-kit/src/main"},
    needs = "nats-server:nats-server")
@Timeout(120)
@SuppressWarnings("try") // an interrupt while a client closes fails the test, as it should
class NatsDoctorTest {
  private static final String STREAM = "HOLDFAST";

  @Test
  void aStreamThatCannotKeepEventsIsReportedAndNoneIsMade() throws Exception {
    try (NatsServer nats = new NatsServer().start();
        ServerRig rig = new ServerRig();
        Connection connection = Nats.connect(nats.url())) {
      rig.setup()
          .set("broker.kind", "nats")
          .set("broker.nats.servers", List.of(nats.url()))
          .set("broker.nats.monitor_url", "http://127.0.0.1:1");
      JetStreamManagement management = connection.jetStreamManagement();
      assertThat(nats(rig)).contains("the server makes it", "nothing answers at");
      assertThat(management.getStreamNames()).isEmpty();

      make(management, stream().storageType(StorageType.Memory));
      assertThat(nats(rig)).contains("in memory", "a restart of nats-server loses");
      make(management, stream().noAck(true));
      assertThat(nats(rig)).contains("acknowledges nothing", "no_ack");
      make(management, stream().maxAge(Duration.ofMinutes(1)));
      assertThat(nats(rig)).contains("kept for 1 min", "set its max_age to a day or more");
      make(
          management,
          stream()
              .subjects("holdfast.*.>")
              .retentionPolicy(RetentionPolicy.Interest)
              .maxMessagesPerSubject(1));
      assertThat(nats(rig)).contains("at most 1 of a subject", "none of its consumers waits for");
      make(management, stream().maxMessages(1).discardPolicy(DiscardPolicy.New));
      connection.jetStream().publish("holdfast.events.x", new byte[0]);
      assertThat(nats(rig)).contains("the stream is full");
      make(management, stream().name("OTHER"));
      assertThat(nats(rig)).contains("cannot be made", "those of stream OTHER");
      rig.start();
      Await.until(
          "the condition names the other stream",
          Duration.ofSeconds(60),
          () -> rig.api().get("/api/v1/conditions").body().contains("those of stream OTHER"));
    }
  }

  private static StreamConfiguration.Builder stream() {
    return StreamConfiguration.builder().name(STREAM).subjects("holdfast.>");
  }

  /** In place of those that there are. */
  private static void make(JetStreamManagement management, StreamConfiguration.Builder stream)
      throws Exception {
    for (String name : management.getStreamNames()) {
      boolean _ = management.deleteStream(name);
    }
    var _ = management.addStream(stream.build());
  }

  private static String nats(ServerRig rig) {
    return HoldfastCommand.run(rig.setup(), "doctor").out();
  }
}
