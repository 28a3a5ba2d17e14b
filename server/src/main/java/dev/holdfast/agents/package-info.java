/**
 * Runs one turn after the other for each chat thread.
 *
 * <p>Knows no HTTP and no chat platform; what it says goes through the outbox.
 */
@NullMarked
package dev.holdfast.agents;

import org.jspecify.annotations.NullMarked;
