package dev.holdfast.plugins;

import dev.holdfast.processes.GateCondition;
import java.time.Instant;
import java.util.List;

/**
 * A plugin as operators see it.
 *
 * @param file the name of its jar
 * @param reason why it does not work, or what is wrong although it does; empty when all is well
 * @param conditions what its manifest asks for
 * @param offers what it offers now, in words
 * @param uses what it says it does
 * @param signer of all of the jar; empty when there is no such one
 * @param since when it came into its state
 */
public record PluginView(
    String id,
    String version,
    String description,
    String file,
    PluginState state,
    String reason,
    List<GateCondition> conditions,
    List<String> offers,
    List<String> uses,
    String sha256,
    String signer,
    Instant since) {}
