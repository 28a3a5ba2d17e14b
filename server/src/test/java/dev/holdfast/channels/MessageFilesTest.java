package dev.holdfast.channels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.api.Attachment;
import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.channels.FileChannel.Fetch;
import dev.holdfast.net.WebFetcher.Bounds;
import dev.holdfast.net.WebFetcher.Fetched;
import dev.holdfast.registry.Registration;
import dev.holdfast.time.SystemTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class MessageFilesTest {
  private static final Attachment FILE = new Attachment("a.png", "image/png", "files:17", -1);
  private static final Bounds BOUNDS = new Bounds(Duration.ofSeconds(20), 10, "*/*");

  private final Channels channels = new Channels(List.of(new WebChannel()));
  private final List<String> web = new ArrayList<>();
  private final MessageFiles files =
      new MessageFiles(
          channels,
          (url, _) -> {
            web.add(url);
            return new Fetched(url, 200, "", new byte[1], false);
          },
          new SystemTime()); // a download hangs until its limit

  private Registration add(Fetch fetch) throws Exception {
    return channels.add(new FileChannel(fetch), Instant.EPOCH);
  }

  private Fetched fetch() throws CallFailedException, InterruptedException {
    return files.fetch("files:main", "main", FILE, BOUNDS);
  }

  private Failure failure() {
    return catchThrowableOfType(CallFailedException.class, this::fetch).failure();
  }

  @Test
  void itsChannelFetchesIt() throws Exception {
    FileChannel channel = new FileChannel(most -> new byte[Math.toIntExact(most)]);
    channels.add(channel, Instant.EPOCH);
    Fetched fetched = fetch();
    assertThat(fetched.status()).isEqualTo(200);
    assertThat(fetched.body()).hasSize(10);
    assertThat(fetched.cut()).isFalse();
    assertThat(channel.asked()).containsExactly("main files:17");
    assertThat(web).isEmpty();
  }

  @Test
  void moreThanItWasToldToReturnIsNotTaken() throws Exception {
    add(most -> new byte[Math.toIntExact(most) + 1]);
    assertThat(fetch().cut()).isTrue();
    assertThat(fetch().body()).isEmpty();
  }

  @Test
  void whatTheServerFetchesByItselfIsFetchedFromTheWeb() throws Exception {
    files.fetch("web:main", "main", FILE, BOUNDS);
    assertThat(web).containsExactly("files:17");
  }

  @Test
  void whileTheChannelIsAwayNothingIsFetched() throws Exception {
    assertThat(failure().code()).as("it was never seen").isEqualTo(FailureCode.AGENT_UNAVAILABLE);
    add(_ -> new byte[1]).remove();
    Failure away = failure();
    assertThat(away.code()).isEqualTo(FailureCode.AGENT_UNAVAILABLE);
    assertThat(away.isPassing()).isTrue();
    assertThat(away.message()).isEqualTo("the channel files is not available");
    assertThat(web).as("not from the web either").isEmpty();
  }

  @Test
  void whatItSaysOfAFailureIsTold() throws Exception {
    add(
        _ -> {
          throw new CallFailedException(Failure.of(FailureCode.AUTH, "the token was revoked"));
        });
    assertThat(failure()).isEqualTo(Failure.of(FailureCode.AUTH, "the token was revoked"));
  }

  @Test
  void ofABugOnlyItsKindIsTold() throws Exception {
    add(
        _ -> {
          throw new IllegalStateException("secret");
        });
    assertThat(failure().code()).isEqualTo(FailureCode.BACKEND_FAILURE);
    assertThat(failure().message()).contains("IllegalStateException").doesNotContain("secret");
  }

  @Test
  void oneThatHangsIsInterruptedAtTheLimit() throws Exception {
    add(
        _ -> {
          new CountDownLatch(1).await();
          return new byte[1];
        });
    Bounds shortly = new Bounds(Duration.ofMillis(200), 10, "*/*");
    CallFailedException e =
        catchThrowableOfType(
            CallFailedException.class, () -> files.fetch("files:main", "main", FILE, shortly));
    assertThat(e.failure().code()).isEqualTo(FailureCode.TIMEOUT);
    assertThat(Thread.interrupted()).as("nothing is left of the interrupt").isFalse();
  }

  @Test
  void sixteenAreFetchedAtOnce() throws Exception {
    CountDownLatch running = new CountDownLatch(16);
    CountDownLatch go = new CountDownLatch(1);
    FileChannel channel =
        new FileChannel(
            _ -> {
              running.countDown();
              go.await();
              return new byte[1];
            });
    channels.add(channel, Instant.EPOCH);
    List<CompletableFuture<Fetched>> all = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      CompletableFuture<Fetched> fetched = new CompletableFuture<>();
      all.add(fetched);
      Thread.ofVirtual()
          .start(
              () -> {
                try {
                  fetched.complete(fetch());
                } catch (CallFailedException | InterruptedException e) {
                  fetched.completeExceptionally(e);
                }
              });
    }
    assertThat(running.await(10, TimeUnit.SECONDS)).isTrue();
    assertThat(channel.asked()).hasSize(16);
    go.countDown();
    for (CompletableFuture<Fetched> each : all) {
      assertThat(each.get(10, TimeUnit.SECONDS).status()).isEqualTo(200);
    }
  }

  @Test
  void theChannelStaysForAsLongAsItFetches() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    Registration added =
        add(
            _ -> {
              begun.countDown();
              go.await();
              return new byte[3];
            });
    CompletableFuture<Fetched> fetched = new CompletableFuture<>();
    Thread.ofVirtual()
        .start(
            () -> {
              try {
                fetched.complete(fetch());
              } catch (CallFailedException | InterruptedException e) {
                fetched.completeExceptionally(e);
              }
            });
    begun.await();
    added.remove();
    assertThat(added.awaitEnd(Duration.ofMillis(50))).isFalse();
    go.countDown();
    assertThat(fetched.get(5, TimeUnit.SECONDS).body()).hasSize(3);
    assertThat(added.awaitEnd(Duration.ofSeconds(5))).isTrue();
  }
}
