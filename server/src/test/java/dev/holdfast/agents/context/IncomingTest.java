package dev.holdfast.agents.context;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.Origin;
import dev.holdfast.channels.InboundPayload;
import dev.holdfast.store.messages.Event;
import dev.holdfast.store.messages.EventState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class IncomingTest {
  private static final Instant RECEIVED = Instant.parse("2026-01-05T08:00:00.250Z");

  private static Incoming written(long millis) {
    return incoming("hello", Origin.direct().at(millis));
  }

  private static Incoming incoming(String text, Origin origin) {
    InboundMessage message = new InboundMessage("main", "t", "ann", text, List.of(), "k", origin);
    return Incoming.of(
        new Event(
            1,
            "e1",
            "nats:main",
            "nats:main:t",
            "k",
            InboundPayload.write(message),
            RECEIVED,
            EventState.PENDING,
            0,
            false,
            0));
  }

  @Test
  void whatAProgramWritesIsNoCommand() {
    Origin person = Origin.direct();
    Origin program =
        new Origin(person.place(), person.chat(), person.team(), "bot", true, person.addressed());
    for (String text : List.of("/approve 8RYDU", "/deny 8RYDU", "/stop")) {
      assertThat(incoming(text, person).command()).as(text).isPresent();
      assertThat(incoming(text, program).command()).as(text).isEmpty();
    }
  }

  @Test
  void aMessageThatWaitedOutsideWasSentWhenItsPlatformSays() {
    Instant before = RECEIVED.minus(Duration.ofDays(2));
    Incoming late = written(before.toEpochMilli());
    assertThat(late.sentAt())
        .isEqualTo(late.withoutText().sentAt())
        .isEqualTo("2026-01-03T08:00:00.250Z");
    assertThat(Entries.user(late).at()).isEqualTo(late.sentAt());
    assertThat(written(0).sentAt()).isEqualTo(RECEIVED);
    assertThat(written(RECEIVED.plusSeconds(9).toEpochMilli()).sentAt()).isEqualTo(RECEIVED);
  }
}
