package dev.holdfast.incidents;

import dev.holdfast.store.engine.AtomicFiles;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code data/unrecorded_incident.json}: the last incident of a process that had no time, or no
 * store, to record it. Whatever the disk refuses here is logged and no more.
 */
final class UnrecordedIncident {
  private static final Logger LOG = LoggerFactory.getLogger(UnrecordedIncident.class);
  private static final String NAME = "unrecorded_incident.json";

  private final Path file;

  UnrecordedIncident(Path dataDir) {
    this.file = dataDir.resolve(NAME);
  }

  void write(NewIncident incident) {
    try {
      AtomicFiles.write(file, incident.toJson().encode().getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      LOG.error("incidents: {} could not be written: {}", NAME, e.getMessage());
    }
  }

  /** What an earlier process has left, and when. */
  record Left(NewIncident incident, Instant at) {}

  /** Empty when there is none, or it cannot be read. */
  Optional<Left> read() {
    if (!Files.isRegularFile(file)) {
      return Optional.empty();
    }
    try {
      Instant at = Files.getLastModifiedTime(file).toInstant();
      return Optional.of(new Left(NewIncident.of(new JsonObject(Files.readString(file))), at));
    } catch (IOException | DecodeException | ClassCastException e) {
      LOG.error("incidents: {} could not be read and is dropped: {}", NAME, e.getMessage());
      delete();
      return Optional.empty();
    }
  }

  void delete() {
    try {
      if (Files.exists(file)) {
        boolean _ = AtomicFiles.delete(file);
      }
    } catch (IOException e) {
      LOG.warn("incidents: {} could not be deleted: {}", NAME, e.getMessage());
    }
  }
}
