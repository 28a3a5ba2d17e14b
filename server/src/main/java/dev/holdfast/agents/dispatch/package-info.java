/**
 * Activates thread agents, gives them their events, obeys commands, brings parked turns back.
 *
 * <p>Knows no HTTP and no chat platform.
 */
@NullMarked
package dev.holdfast.agents.dispatch;

import org.jspecify.annotations.NullMarked;
