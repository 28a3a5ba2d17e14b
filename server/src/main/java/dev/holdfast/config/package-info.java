/**
 * Reads holdfast.yaml strictly and reports all its problems at once.
 *
 * <p>Knows no key by name: each section's record stands beside the code that it configures.
 */
@NullMarked
package dev.holdfast.config;

import org.jspecify.annotations.NullMarked;
