package dev.holdfast.ingress.webhooks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.api.InboundMessage;
import dev.holdfast.bus.News;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.time.SystemTime;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class MessageIntakeTest {
  @Test
  @Timeout(30)
  void aCommitThatHangsIsRefusedBeforeTheClientGivesUp() {
    MessageIntake intake =
        new MessageIntake(
            _ -> new CompletableFuture<>(),
            new News(10),
            new SystemTime(),
            new SimpleMeterRegistry());
    InboundMessage message = new InboundMessage("main", "t", "me", "hello", List.of(), "k1");
    RefusedRequestException refused =
        catchThrowableOfType(RefusedRequestException.class, () -> intake.commit("web", message));
    assertThat(refused.status()).isEqualTo(503);
  }
}
