package dev.holdfast.channels;

import dev.holdfast.api.ChannelAdapter;
import java.util.List;
import java.util.Optional;

/** The channels by name. Thread-safe. */
public final class Channels {
  private final List<ChannelAdapter> adapters;

  public Channels(List<ChannelAdapter> adapters) {
    this.adapters = List.copyOf(adapters);
  }

  public Optional<ChannelAdapter> find(String channel) {
    return adapters.stream().filter(adapter -> adapter.channel().equals(channel)).findFirst();
  }

  public List<ChannelAdapter> all() {
    return adapters;
  }
}
