package dev.holdfast.ingress.api;

import dev.holdfast.channels.ChannelChecks;
import dev.holdfast.channels.Channels;
import dev.holdfast.channels.Listeners;

/**
 * What knows of the channels.
 *
 * @param publicUrl how the server is reached from outside; empty when that was not configured
 */
public record ChannelParts(
    Channels channels, Listeners listeners, ChannelChecks checks, String publicUrl) {}
