/**
 * One chat thread: its mailbox, its states, its loop.
 *
 * <p>Knows the others only through its host.
 */
@NullMarked
package dev.holdfast.agents.thread;

import org.jspecify.annotations.NullMarked;
