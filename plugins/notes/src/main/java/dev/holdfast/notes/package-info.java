/**
 * A program that works with the notes of a vault for models: create, read, update, search, list.
 *
 * <p>A vault is a folder of Markdown files, of Obsidian's or anybody's; nothing hidden in it is
 * touched.
 */
@NullMarked
package dev.holdfast.notes;

import org.jspecify.annotations.NullMarked;
