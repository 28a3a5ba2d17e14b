/**
 * Puts a data folder into one file, while a server uses it, and takes it out again.
 *
 * <p>Knows nothing of what stands in the files.
 */
@NullMarked
package dev.holdfast.store.backup;

import org.jspecify.annotations.NullMarked;
