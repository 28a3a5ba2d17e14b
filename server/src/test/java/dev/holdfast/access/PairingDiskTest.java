package dev.holdfast.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.Access;
import dev.holdfast.api.Access.Groups;
import dev.holdfast.api.Access.Strangers;
import dev.holdfast.api.DropReason;
import dev.holdfast.api.FailureCode;
import dev.holdfast.store.SmallDiskCase;
import dev.holdfast.store.TestStore;
import dev.holdfast.store.engine.StoreException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Pairing while a disk of 16 MiB in memory is full. */
@Timeout(60)
class PairingDiskTest extends SmallDiskCase {
  private static final Access PAIR =
      new Access(Set.of(), Set.of(), Set.of(), Strangers.PAIR, Groups.MENTIONED, 30, 10);

  /** To the last byte, and what the log of the database has left as well. */
  private Path fill(TestStore it) throws IOException {
    Path ballast = root.resolve("ballast");
    try (OutputStream out = Files.newOutputStream(ballast)) {
      for (int size = 65_536; size >= 1; size /= 16) {
        try {
          while (true) {
            out.write(new byte[size]);
          }
        } catch (IOException _) {
          // full; a smaller piece may still fit
        }
      }
    }
    for (int i = 0; ; i++) {
      try {
        it.store.inbox().append(TestStore.event("t", "k" + i, "x".repeat(2000))).join();
      } catch (CompletionException _) {
        return ballast;
      }
    }
  }

  @Test
  void aFullDiskTellsNoCodeApprovesNothingAndHealsByItself() throws Exception {
    try (AccessRig rig = new AccessRig(root.resolve("data"), PAIR)) {
      assertThat(rig.direct("ann")).contains(DropReason.NOT_ALLOWED);
      String code = rig.code();
      Path ballast = fill(rig.store);
      assertThat(rig.direct("bob")).contains(DropReason.NOT_ALLOWED);
      assertThat(rig.told).as("what is not on disk is not told").hasSize(1);
      assertThat(rig.count("failed")).isOne();
      assertThatThrownBy(() -> rig.flow.approve(code, "token:main"))
          .isInstanceOfSatisfying(
              StoreException.class,
              e -> assertThat(e.failure().code()).isEqualTo(FailureCode.OVERLOADED));
      assertThat(rig.direct("ann")).as("not paired by half").contains(DropReason.NOT_ALLOWED);

      Files.delete(ballast);
      TestStore.await(() -> rig.store.store.refusal().isEmpty());
      assertThat(rig.flow.approve(code, "token:main")).isInstanceOf(PairingVerdict.Paired.class);
      assertThat(rig.direct("ann")).isEmpty();
      rig.time.advance(Duration.ofMinutes(1));
      assertThat(rig.direct("bob")).contains(DropReason.NOT_ALLOWED);
      assertThat(rig.told.getLast()).startsWith("main dm-bob: I only answer");
    }
  }
}
