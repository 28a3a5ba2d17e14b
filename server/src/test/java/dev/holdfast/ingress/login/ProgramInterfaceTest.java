package dev.holdfast.ingress.login;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.config.Secret;
import dev.holdfast.ingress.IngressCase;
import dev.holdfast.ingress.IngressRig;
import dev.holdfast.ingress.Raw;
import dev.holdfast.ingress.wire.Scope;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ProgramInterfaceTest extends IngressCase {
  /** S25: a rotated token takes what it is still waiting for. */
  @Test
  void aRotatedTokenEndsTheRequestsOfItsPrograms() throws Exception {
    CompletableFuture<Raw.Answer> waits = new CompletableFuture<>();
    Thread program =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    waits.complete(
                        rig.get(WaitingProgram.PATH, IngressRig.bearer(IngressRig.ADMIN)));
                  } catch (Exception e) {
                    waits.completeExceptionally(e);
                  }
                });
    rig.program.isRunning.await();
    rig.tokens.replace(
        List.of(new TokenConfig("main", new Secret("another-token-0123456789"), Scope.ADMIN)));
    assertThat(waits.get().status()).isEqualTo(401);
    program.join();
  }
}
