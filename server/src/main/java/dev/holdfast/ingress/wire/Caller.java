package dev.holdfast.ingress.wire;

/**
 * Who asks.
 *
 * @param name of the token that was presented
 * @param byCookie whether a browser sent it by itself, so that the page that asks must be ours
 */
public record Caller(String name, Scope scope, boolean byCookie) {}
