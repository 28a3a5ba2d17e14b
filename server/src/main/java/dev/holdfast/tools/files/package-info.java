/**
 * The tools that work on files, the folders that they are confined to, and the backups that undo
 * their changes.
 *
 * <p>Knows nothing of turns and models; no path is opened but through {@link
 * dev.holdfast.tools.files.AllowedFolders}.
 */
@NullMarked
package dev.holdfast.tools.files;

import org.jspecify.annotations.NullMarked;
