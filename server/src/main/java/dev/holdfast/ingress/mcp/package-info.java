/**
 * The Model Context Protocol, with the server as the one that offers tools: {@code /mcp}.
 *
 * <p>Knows the operations of the API by their names, and none of what they do.
 */
@NullMarked
package dev.holdfast.ingress.mcp;

import org.jspecify.annotations.NullMarked;
