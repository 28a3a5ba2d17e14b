package dev.holdfast.ingress.api;

import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.function.Supplier;

/**
 * What the server knows of itself.
 *
 * @param config the whole effective configuration with secrets as {@code ***}
 * @param startedWith what it was at the start: what waits for a restart is not in it
 */
public record ServerFacts(
    String version,
    Instant startedAt,
    String dataDir,
    Supplier<JsonObject> config,
    JsonObject startedWith) {}
