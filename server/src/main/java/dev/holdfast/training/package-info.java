/**
 * Makes the start-up cache of the JVM: runs a server under the load of its first minutes, so that
 * the next one begins with its classes loaded and knowing which code is hot.
 */
@NullMarked
package dev.holdfast.training;

import org.jspecify.annotations.NullMarked;
