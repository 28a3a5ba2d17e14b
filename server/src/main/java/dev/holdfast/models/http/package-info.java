/**
 * What goes over the wire to a model provider: events of a stream, errors, waits, limits; the
 * transport that LangChain4j is given.
 *
 * <p>Knows no level, no price and no conversation.
 */
@NullMarked
package dev.holdfast.models.http;

import org.jspecify.annotations.NullMarked;
