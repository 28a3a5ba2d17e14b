/**
 * The protocols that programs written for OpenAI's models speak: {@code /v1}.
 *
 * <p>Knows what the API knows, and none of its routes.
 */
@NullMarked
package dev.holdfast.ingress.openai;

import org.jspecify.annotations.NullMarked;
