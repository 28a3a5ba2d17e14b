/**
 * A program that gives one task to a coding agent: starts it, talks to it in its protocol, tells
 * what it does, and ends it.
 *
 * <p>Knows the protocols of the coding agents; nothing of what they do with files.
 */
@NullMarked
package dev.holdfast.codingagent;

import org.jspecify.annotations.NullMarked;
