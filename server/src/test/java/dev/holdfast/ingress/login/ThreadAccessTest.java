package dev.holdfast.ingress.login;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.ingress.FakeThreadOwners;
import dev.holdfast.ingress.wire.Caller;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.ingress.wire.Scope;
import dev.holdfast.store.messages.Ownership;
import org.junit.jupiter.api.Test;

class ThreadAccessTest {
  private static final String CLI = "web:main:cli";
  private static final Caller OPERATOR = new Caller("main", Scope.ADMIN, false);
  private static final Caller ANN = new Caller("ann", Scope.CHAT, false);

  private final FakeThreadOwners owners = new FakeThreadOwners();
  private final ThreadAccess access = new ThreadAccess(owners);

  /** Whoever began it would read along when the operator first says something there. */
  @Test
  void theThreadOfTheCommandLineIsBegunByOperatorsAlone() throws Exception {
    assertThatThrownBy(() -> access.enter(ANN, CLI, true))
        .isInstanceOf(RefusedRequestException.class)
        .hasMessageContaining("kept for operators");
    assertThatThrownBy(() -> access.check(ANN, CLI)).isInstanceOf(RefusedRequestException.class);
    assertThat(owners.find(CLI)).isInstanceOf(Ownership.Fresh.class);
    access.enter(OPERATOR, CLI, null);
    assertThat(access.maySee(ANN, CLI)).isFalse();
    assertThat(access.maySee(OPERATOR, CLI)).isTrue();
  }

  /** As a token that has begun it and lost the scope, or from before it was kept. */
  @Test
  void itsOwnerIsNobodyElseWhateverIsWrittenThere() {
    owners.claim(CLI, "ann", false);
    assertThat(access.maySee(ANN, CLI)).isFalse();
    assertThatThrownBy(() -> access.enter(ANN, CLI, true))
        .isInstanceOf(RefusedRequestException.class);
  }

  @Test
  void aThreadThatNobodyHasBegunLooksLikeThatOfAnother() {
    owners.claim("web:main:bobs", "bob", false);
    RefusedRequestException foreign =
        catchThrowableOfType(
            RefusedRequestException.class, () -> access.check(ANN, "web:main:bobs"));
    RefusedRequestException unknown =
        catchThrowableOfType(
            RefusedRequestException.class, () -> access.check(ANN, "web:main:free"));
    assertThat(unknown.status()).isEqualTo(foreign.status()).isEqualTo(404);
    assertThat(unknown.said()).isEqualTo(foreign.said());
  }

  @Test
  void anOperatorMayShareIt() throws Exception {
    access.enter(OPERATOR, CLI, true);
    access.enter(ANN, CLI, null);
    assertThat(access.maySee(ANN, CLI)).isTrue();
  }
}
