package dev.holdfast.ingress.api;

import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
 * What the server knows of itself.
 *
 * @param pairingsPending how many strangers wait for an operator's yes
 * @param choice the levels that people may choose for a message, lowest first
 * @param config the whole effective configuration with secrets as {@code ***}
 */
public record ServerFacts(
    String version,
    Instant startedAt,
    String dataDir,
    IntSupplier pairingsPending,
    List<String> choice,
    Supplier<JsonObject> config) {}
