package dev.holdfast.extensions;

import dev.holdfast.extensions.ExtensionConfig.Protocol;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An extension at one moment, for people.
 *
 * @param source who declared it, such as {@code configuration}
 * @param givenUp whether it has failed too often and has not worked since; holds while it is tried
 * @param server what an MCP server calls itself; empty when nobody knows
 * @param target the command that is run, or the address that is called
 * @param tools the names that models are offered
 * @param refused why others of its tools are not offered
 * @param held which of its tools wait for an operator
 * @param listing stands for the list of its tools as it is now; empty when there is none
 * @param strays messages that answered nothing, and lines that were none, of all its runs since it
 *     was declared
 * @param memoryBytes what its processes held when they were looked at last; 0 when none run
 * @param lastError why it ended last, or why its last failed call did; empty when none did
 * @param lastErrorAt null when {@code lastError} is empty
 * @param nextAttemptAt null when it waits for nothing
 */
public record ExtensionView(
    String id,
    String source,
    Protocol protocol,
    ExtensionState state,
    boolean givenUp,
    String server,
    List<String> target,
    List<String> tools,
    List<String> refused,
    List<HeldTool> held,
    String listing,
    long restarts,
    long strays,
    long memoryBytes,
    String lastError,
    @Nullable Instant lastErrorAt,
    @Nullable Instant nextAttemptAt) {
  public ExtensionView {
    tools = List.copyOf(tools);
    refused = List.copyOf(refused);
    target = List.copyOf(target);
    held = List.copyOf(held);
  }
}
