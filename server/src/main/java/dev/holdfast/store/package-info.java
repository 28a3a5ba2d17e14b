/**
 * What is on disk: the inbox, the outbox, the stories, the files of each chat thread.
 *
 * <p>Knows nothing of chat platforms, models or agents: it keeps rows and lines.
 */
@NullMarked
package dev.holdfast.store;

import org.jspecify.annotations.NullMarked;
