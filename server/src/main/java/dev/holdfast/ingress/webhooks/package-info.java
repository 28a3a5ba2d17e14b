/**
 * Messages that platforms and the page bring in.
 *
 * <p>Knows no platform: the channels verify and parse.
 */
@NullMarked
package dev.holdfast.ingress.webhooks;

import org.jspecify.annotations.NullMarked;
