/**
 * Files that come and go with messages: what they are by their bytes, and how large they may be.
 *
 * <p>Knows no chat, no model and no place on the disk.
 */
@NullMarked
package dev.holdfast.media;

import org.jspecify.annotations.NullMarked;
