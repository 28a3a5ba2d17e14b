/**
 * What operators' programs ask over NATS: a few operations of the API.
 *
 * <p>Knows the operations of the API by their names, and none of what they do; nothing of NATS.
 */
@NullMarked
package dev.holdfast.ingress.control;

import org.jspecify.annotations.NullMarked;
