package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DeadLetterCommandsTest extends CommandFixture {
  private static final String NEWEST = "GET /api/v1/dead-letters?limit=1";

  @Test
  void allDeadLettersAreReplayedInPagesAndAFailureIsNamed() {
    String two = "{\"dead_letters\":[{\"id\":\"1\"},{\"id\":\"2\"}]}";
    server
        .on(NEWEST, 200, "{\"newest\":600}")
        .on(
            "GET /api/v1/dead-letters?limit=500&older_than_secs=7200&order=oldest&up_to=600",
            200,
            two)
        .on(
            "GET /api/v1/dead-letters?limit=502&older_than_secs=7200&order=oldest&up_to=600",
            200,
            "{\"dead_letters\":[{\"id\":\"2\"},{\"id\":\"3\"}]}")
        .on(
            "GET /api/v1/dead-letters?limit=503&older_than_secs=7200&order=oldest&up_to=600",
            200,
            "{\"dead_letters\":[{\"id\":\"2\"}]}")
        .on("POST /api/v1/dead-letters/1/replay", 200, "{\"replayed\":true}")
        .on("POST /api/v1/dead-letters/3/replay", 200, "{\"replayed\":true}");
    String[] args = {"dlq", "replay", "--all", "--older-than", "2h"};
    assertThat(line.run(server, args)).isEqualTo(1);
    assertThat(line.out()).contains("2: not replayed: unknown (NOT_FOUND)", "2 of 3 replayed");
    server.requests.clear();
    assertThat(line.run(server, "dlq", "replay", "--all", "--older-than", "2h", "--dry-run"))
        .isZero();
    assertThat(line.out()).contains("1: would replay", "3 in total; nothing was changed");
    assertThat(server.requests).noneMatch(request -> request.startsWith("POST"));
  }

  /** A list without a bound would name what has failed again, for as long as it does. */
  @Test
  void onlyWhatWasDeadAtTheBeginningIsReplayed() {
    server
        .on(NEWEST, 200, "{\"dead_letters\":[],\"newest\":2}")
        .on("GET /api/v1/dead-letters?limit=500&order=oldest&up_to=2", 200, letters(1, 3))
        .on("GET /api/v1/dead-letters?limit=502&order=oldest&up_to=2", 200, letters(0, 0))
        .on("POST /api/v1/dead-letters/1/replay", 200, "{\"replayed\":true}")
        .on("POST /api/v1/dead-letters/2/replay", 200, "{\"replayed\":true}");
    assertThat(line.run(server, "dlq", "replay", "--all")).as(line.err()).isZero();
    assertThat(line.out()).contains("2 of 2 replayed");
  }

  @Test
  void moreDeadLettersAreReplayedThanTheServerGivesAtOnce() {
    server
        .on(NEWEST, 200, "{\"newest\":600}")
        .on("GET /api/v1/dead-letters?limit=500&order=oldest&up_to=600", 200, letters(0, 500))
        .on("GET /api/v1/dead-letters?limit=1000&order=oldest&up_to=600", 200, letters(500, 600));
    for (int id = 0; id < 600; id++) {
      server.on("POST /api/v1/dead-letters/" + id + "/replay", 200, "{\"replayed\":true}");
    }
    assertThat(line.run(server, "dlq", "replay", "--all")).isZero();
    assertThat(line.out()).contains("600 of 600 replayed");
  }

  private static String letters(int from, int to) {
    return IntStream.range(from, to)
        .mapToObj("{\"id\":\"%d\"}"::formatted)
        .collect(Collectors.joining(",", "{\"dead_letters\":[", "]}"));
  }

  @Test
  void deadLettersAreListedShownAndDiscarded() {
    server
        .on(
            "GET /api/v1/dead-letters?limit=50&kind=event",
            200,
            "{\"dead_letters\":[{\"id\":\"7\",\"kind\":\"event\",\"reason\":\"died\\n3 times\"}],"
                + "\"counts\":{\"event\":1}}")
        .on("GET /api/v1/dead-letters/7", 200, "{\"id\":\"7\",\"payload\":\"{}\"}")
        .on("DELETE /api/v1/dead-letters/7", 200, "{\"discarded\":true}");
    assertThat(line.run(server, "dlq", "list", "--kind", "event")).isZero();
    assertThat(line.out()).contains("died\\n3 times");
    assertThat(line.err()).contains("total: event 1");
    assertThat(line.run(server, "dlq", "show", "7")).isZero();
    assertThat(line.err()).contains("replay it: holdfast dlq replay 7");
    assertThat(line.run(server, "dlq", "discard", "7", "--json")).isZero();
    assertThat(line.out()).contains("\"discarded\" : 1");
  }

  @Test
  void deadLettersAreSaidToBeListedInTheOrderOfTheServer() {
    assertThat(line.run("dlq", "list", "--help")).isZero();
    assertThat(line.out()).contains("newest first");
  }
}
