/**
 * The files of a chat thread: its context, its log, its attachments.
 *
 * <p>Knows lines and checksums, not what they say.
 */
@NullMarked
package dev.holdfast.store.threads;

import org.jspecify.annotations.NullMarked;
