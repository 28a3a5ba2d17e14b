/**
 * What people do with whole conversations: find words in them, name them, delete them.
 *
 * <p>Knows nothing of HTTP and pages, and never makes a turn wait.
 */
@NullMarked
package dev.holdfast.conversations;

import org.jspecify.annotations.NullMarked;
