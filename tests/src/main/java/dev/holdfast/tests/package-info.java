/**
 * Tests of the whole server from outside. Knows the documents and the jar, not the server's
 * classes.
 */
@NullMarked
package dev.holdfast.tests;

import org.jspecify.annotations.NullMarked;
