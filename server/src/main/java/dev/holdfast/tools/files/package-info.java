/**
 * The tools that work on files, the fence that keeps them in, and the backups that undo them.
 *
 * <p>Knows nothing of turns and models; no path is opened but through {@link
 * dev.holdfast.tools.files.AllowedFolders}.
 */
@NullMarked
package dev.holdfast.tools.files;

import org.jspecify.annotations.NullMarked;
