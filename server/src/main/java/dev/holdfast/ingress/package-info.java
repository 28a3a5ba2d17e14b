/**
 * Meets the outside over HTTP: webhooks, the API, the pages.
 *
 * <p>Never blocks an event loop and never runs a turn itself.
 */
@NullMarked
package dev.holdfast.ingress;

import org.jspecify.annotations.NullMarked;
