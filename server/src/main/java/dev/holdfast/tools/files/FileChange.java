package dev.holdfast.tools.files;

/**
 * One file before and after a call.
 *
 * @param blob the name under which the content of before is kept; empty when there was no file
 */
record FileChange(AllowedPath path, FileState before, FileState after, String blob) {}
