package dev.holdfast.tests.harness;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;

/** What one run of a campaign did: a line of JSON in {@code target/campaigns.jsonl}. */
public final class CampaignLedger {
  private static final Path FILE = Path.of("../target/campaigns.jsonl");

  private final Instant startedAt = Instant.now();
  private final ObjectNode line = Json.object();

  /** Begins now, and says with which seed. */
  public CampaignLedger(String name, long seed) {
    System.out.printf("campaign %s: seed %d%n", name, seed);
    line.put("name", name).put("started_at", startedAt.toString()).put("seconds", 0);
    line.put("seed", seed);
  }

  public CampaignLedger with(String figure, Object value) {
    line.set(figure, Json.of(value));
    return this;
  }

  /** Before the last assertions: a failed run is written down too. */
  public void write() {
    line.put("seconds", Duration.between(startedAt, Instant.now()).toSeconds());
    System.out.println("campaign " + line);
    try {
      Files.createDirectories(FILE.getParent());
      Files.writeString(FILE, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
