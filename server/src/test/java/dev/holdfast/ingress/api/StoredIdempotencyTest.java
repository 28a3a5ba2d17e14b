package dev.holdfast.ingress.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.ingress.api.Idempotency.Effect;
import dev.holdfast.ingress.api.Idempotency.Kept;
import dev.holdfast.ingress.api.Idempotency.Keyed;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.store.TestStore;
import dev.holdfast.time.ManualTime;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Keys of one process after another, over one data folder. */
class StoredIdempotencyTest {
  private static final Kept STOPPED = new Kept(200, "{\"stopped\":1}");
  private static final int SHARE = 100_000;

  @TempDir Path folder;

  private final ManualTime time = new ManualTime();
  private TestStore test;
  private Idempotency keys;

  @BeforeEach
  void open() throws Exception {
    test = new TestStore(folder);
    keys = StoredIdempotency.open(test.store.engine(), time, SHARE);
  }

  @AfterEach
  void close() {
    test.close();
  }

  private void restart() throws Exception {
    close();
    open();
  }

  private static Keyed keyed(String caller, String key, String body, Effect effect) {
    return Keyed.of(caller, "/path", key, "", body.getBytes(StandardCharsets.UTF_8), effect);
  }

  private static Keyed stop(String key) {
    return keyed("ann", key, "{}", Effect.ONCE);
  }

  private void run(Keyed request, Kept response) throws Exception {
    assertThat(keys.begin(request)).isEmpty();
    keys.end(request, response.status(), response.body());
  }

  private RefusedRequestException refused(Keyed request) {
    RefusedRequestException refused =
        catchThrowableOfType(RefusedRequestException.class, () -> keys.begin(request));
    assertThat(refused.status()).isEqualTo(409);
    return refused;
  }

  @Test
  void aResponseIsKeptForADayOverRestarts() throws Exception {
    run(stop("k"), STOPPED);
    time.advance(Duration.ofHours(23));
    restart();
    time.advance(Duration.ofHours(1));
    assertThat(keys.begin(stop("k"))).contains(STOPPED);
    time.advance(Duration.ofSeconds(1));
    assertThat(keys.begin(stop("k"))).isEmpty();
  }

  @Test
  void whatIsADayOldIsDeleted() throws Exception {
    run(stop("k"), STOPPED);
    time.advance(Duration.ofHours(25));
    run(stop("k2"), STOPPED);
    assertThat(rows()).isEqualTo(1);
    time.advance(Duration.ofHours(25));
    restart();
    assertThat(rows()).isZero();
  }

  private int rows() {
    return test.store
        .engine()
        .read(
            sql ->
                sql.first(row -> row.getInt(1), "select count(*) from idempotency_keys")
                    .orElseThrow());
  }

  @Test
  void whatACrashCutOffIsNotDoneAgainAndItsOutcomeIsCalledUnknown() throws Exception {
    assertThat(keys.begin(stop("k"))).isEmpty();
    restart();
    assertThat(refused(stop("k")).said()).contains("response is not known");
    run(stop("k2"), STOPPED);
  }

  /** Its event has a key of its own, by which the request finds it again. */
  @Test
  void aMessageThatACrashCutOffRunsAgain() throws Exception {
    Keyed message = keyed("ann", "k", "{}", Effect.MESSAGE);
    assertThat(keys.begin(message)).isEmpty();
    restart();
    run(message, new Kept(202, "{\"event_id\":\"e\"}"));
    restart();
    assertThat(keys.begin(message)).contains(new Kept(202, "{\"event_id\":\"e\"}"));
  }

  @Test
  void aSecretIsNotWrittenDown() throws Exception {
    Keyed link = keyed("ann", "k", "{}", Effect.SECRET);
    run(link, new Kept(201, "{\"url\":\"secret\"}"));
    assertThat(refused(link).said()).contains("response is not known");
  }

  @Test
  void aLongResponseIsNotKeptAndItsEffectDoesNotHappenAgain() throws Exception {
    run(stop("k"), new Kept(200, "x".repeat(20_000)));
    assertThat(refused(stop("k")).said()).contains("response is not known");
  }

  @Test
  void aFailedRequestMayBeTriedAgain() throws Exception {
    run(stop("k"), new Kept(503, "{}"));
    run(stop("k"), new Kept(409, "{}"));
    run(stop("k"), STOPPED);
    assertThat(keys.begin(stop("k"))).contains(STOPPED);
  }

  @Test
  void theSecondOfTwoAtOnceIsRefused() throws Exception {
    assertThat(keys.begin(stop("k"))).isEmpty();
    assertThat(refused(stop("k")).retryAfterSecs()).isEqualTo(1);
  }

  @Test
  void anotherRequestUnderTheSameKeyIsRefusedAlsoAfterARestart() throws Exception {
    run(stop("k"), STOPPED);
    restart();
    assertThat(refused(keyed("ann", "k", "{\"all\":true}", Effect.ONCE)).said())
        .contains("used with another request");
    assertThat(keys.begin(stop("k"))).contains(STOPPED);
  }

  @Test
  void queryAndBodyCannotBeShiftedIntoEachOther() {
    byte[] ab = "ab".getBytes(StandardCharsets.UTF_8);
    byte[] b = "b".getBytes(StandardCharsets.UTF_8);
    assertThat(Keyed.of("ann", "/p", "k", "a", b, Effect.ONCE).content())
        .isNotEqualTo(Keyed.of("ann", "/p", "k", "", ab, Effect.ONCE).content());
  }

  @Test
  void nobodyPushesOutTheKeysOfAnother() throws Exception {
    run(stop("k"), STOPPED);
    for (int i = 0; i < 300; i++) {
      run(keyed("bob", "k" + i, "{}", Effect.ONCE), STOPPED);
    }
    assertThat(keys.begin(stop("k"))).contains(STOPPED);
    assertThat(rows()).isLessThan(300);
    assertThat(keys.begin(keyed("bob", "k299", "{}", Effect.ONCE))).contains(STOPPED);
    assertThat(keys.begin(keyed("bob", "k0", "{}", Effect.ONCE))).as("its own oldest").isEmpty();
  }
}
