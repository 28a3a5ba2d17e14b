/**
 * What went wrong, written down for the people who run the server: as rows, and as files to read.
 *
 * <p>Knows nothing of what reports to it, nor of who asks.
 */
@NullMarked
package dev.holdfast.incidents;

import org.jspecify.annotations.NullMarked;
