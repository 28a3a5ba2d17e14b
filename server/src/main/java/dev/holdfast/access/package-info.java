/**
 * Who is answered by the accounts of channels, and how people are paired. Knows nothing of HTTP and
 * of what an answer is.
 */
@NullMarked
package dev.holdfast.access;

import org.jspecify.annotations.NullMarked;
