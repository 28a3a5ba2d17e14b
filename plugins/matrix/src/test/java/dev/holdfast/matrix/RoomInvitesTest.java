package dev.holdfast.matrix;

import static dev.holdfast.matrix.MatrixRig.ANN;
import static dev.holdfast.matrix.MatrixRig.JOIN;
import static dev.holdfast.matrix.MatrixRig.ME;
import static dev.holdfast.matrix.MatrixRig.invite;
import static dev.holdfast.matrix.MatrixRig.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.DropReason;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RoomInvitesTest {
  private static final String BOB = "@bob:evil.example";
  private static final String ROOM = "!new:hs.example";
  @TempDir private Path folder;

  private static void join(MatrixRig rig) throws Exception {
    rig.context().job("matrix-invitations").run();
  }

  private static List<String> joined(MatrixRig rig) {
    return rig.asked(JOIN).stream()
        .filter(asked -> asked.method().equals("POST"))
        .map(MatrixRig::decodedPath)
        .map(path -> path.replaceAll(".*/rooms/(.*)/join", "$1"))
        .toList();
  }

  @Test
  void anAllowedPersonBringsTheAccountIntoARoom() throws Exception {
    try (MatrixRig rig = MatrixRig.syncing(folder)) {
      rig.receive(invite("s1", ROOM, ANN, false));
      join(rig);
      join(rig);
      assertThat(joined(rig)).containsExactly(ROOM);
    }
  }

  @Test
  void anInvitationThatWaitedBeforeTheFirstStartIsTaken() throws Exception {
    try (MatrixRig rig = MatrixRig.syncing(folder)) {
      rig.listen(invite("s1", ROOM, ANN, true));
      join(rig);
      assertThat(joined(rig)).containsExactly(ROOM);
    }
  }

  @Test
  void aStrangersInvitationIsLeftAloneAndCounted() throws Exception {
    try (MatrixRig rig = MatrixRig.syncing(folder)) {
      rig.receive(
          invite("s1", ROOM, BOB, true),
          invite("s2", "!x:evil.example", "@ann:evil.example", true));
      join(rig);
      assertThat(joined(rig)).isEmpty();
      assertThat(rig.sink().drops())
          .containsExactly(DropReason.NOT_ALLOWED, DropReason.NOT_ALLOWED);
    }
  }

  @Test
  void thousandsOfInvitationsAtOnceAreCounted() {
    try (MatrixRig rig = MatrixRig.syncing(folder)) {
      String event =
          "{\"invite_state\":{\"events\":[" + MatrixRig.member(BOB, ME, "invite") + "]}}";
      String rooms =
          IntStream.range(0, 2100)
              .mapToObj(i -> "\"!r%d:evil.example\":%s".formatted(i, event))
              .collect(Collectors.joining(","));
      rig.receive(MatrixRig.ok("{\"next_batch\":\"s1\",\"rooms\":{\"invite\":{" + rooms + "}}}"));
      assertThat(rig.sink().drops()).hasSize(2100);
      assertThat(rig.sink().position()).contains("s1");
    }
  }

  @Test
  void everybodyMayInviteToAnAllowedRoom() throws Exception {
    Map<String, ?> keys = Map.of("allow", Map.of("chats", List.of(ROOM)));
    try (MatrixRig rig = new MatrixRig(keys, folder)) {
      rig.receive(invite("s1", ROOM, BOB, false), invite("s2", "!other:hs.example", BOB, false));
      join(rig);
      assertThat(joined(rig)).containsExactly(ROOM);
    }
  }

  @Test
  void nobodyOfAnotherServerInvitesWhereTeamsAreNamed() throws Exception {
    Map<String, ?> keys =
        Map.of("allow", Map.of("users", List.of("*"), "teams", List.of("hs.example")));
    try (MatrixRig rig = new MatrixRig(keys, folder)) {
      rig.receive(
          invite("s1", ROOM, ANN, false),
          invite("s2", "!a:hs.example", BOB, false),
          invite("s3", "!b:hs.example", "@x:nhs.example", false));
      join(rig);
      assertThat(joined(rig)).containsExactly(ROOM);
    }
  }

  @Test
  void withPairingStrangersAreFollowedIntoDirectRoomsUpToABound() throws Exception {
    try (MatrixRig rig = new MatrixRig(Map.of("strangers", "pair"), folder)) {
      rig.receive(invite("s1", "!group:hs.example", BOB, false));
      for (int i = 0; i < 25; i++) {
        rig.receive(invite("t" + i, "!direct" + i + ":hs.example", BOB, true));
      }
      join(rig);
      assertThat(joined(rig)).hasSize(20).doesNotContain("!group:hs.example");
      rig.context().advance(Duration.ofHours(1));
      rig.receive(invite("u", "!later:hs.example", BOB, true));
      join(rig);
      assertThat(joined(rig)).hasSize(21);
    }
  }

  @Test
  void anInvitationOutlivesARestartAndARefusalForNow() throws Exception {
    try (MatrixRig rig = MatrixRig.syncing(folder)) {
      rig.next(JOIN, refused(429, "M_LIMIT_EXCEEDED", ",\"retry_after_ms\":60000"));
      rig.receive(invite("s1", ROOM, ANN, false));
      join(rig);
      join(rig);
      assertThat(joined(rig)).as("the homeserver wants a minute").hasSize(1);
      rig.start();
      join(rig);
      assertThat(joined(rig)).containsExactly(ROOM, ROOM);
    }
  }

  @Test
  void aRoomThatCannotBeJoinedNowHoldsUpNoOther() throws Exception {
    try (MatrixRig rig = MatrixRig.syncing(folder)) {
      rig.next(JOIN, refused(502, "M_UNKNOWN"));
      rig.receive(invite("s1", ROOM, ANN, false), invite("s2", "!b:hs.example", ANN, false));
      join(rig);
      join(rig);
      assertThat(joined(rig)).containsExactly(ROOM, "!b:hs.example");
      rig.context().advance(Duration.ofSeconds(2));
      join(rig);
      assertThat(joined(rig)).containsExactly(ROOM, "!b:hs.example", ROOM);
    }
  }

  @Test
  void anInvitationThatWasWithdrawnIsForgotten() throws Exception {
    try (MatrixRig rig = MatrixRig.syncing(folder)) {
      rig.next(JOIN, refused(403, "M_FORBIDDEN"));
      rig.receive(invite("s1", ROOM, ANN, false));
      join(rig);
      rig.context().advance(Duration.ofHours(1));
      join(rig);
      assertThat(joined(rig)).hasSize(1);
    }
  }
}
