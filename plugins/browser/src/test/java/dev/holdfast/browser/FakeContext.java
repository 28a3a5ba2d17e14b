package dev.holdfast.browser;

import dev.holdfast.api.ChannelAdapter;
import dev.holdfast.api.Markup;
import dev.holdfast.api.ModelProvider;
import dev.holdfast.api.PluginConfig;
import dev.holdfast.api.PluginContext;
import dev.holdfast.api.PluginHttp;
import dev.holdfast.api.Tool;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** Has a client and a clock, which only sleeping moves. */
final class FakeContext implements PluginContext {
  private final PluginHttp http;
  private final List<Duration> sleeps = new CopyOnWriteArrayList<>();

  FakeContext(PluginHttp http) {
    this.http = http;
  }

  List<Duration> sleeps() {
    return List.copyOf(sleeps);
  }

  @Override
  public PluginHttp http() {
    return http;
  }

  @Override
  public long nanos() {
    return sleeps.stream().mapToLong(Duration::toNanos).sum();
  }

  @Override
  public void sleep(Duration wait) {
    sleeps.add(wait);
  }

  @Override
  public Instant now() {
    return Instant.EPOCH.plusNanos(nanos());
  }

  @Override
  public System.Logger logger() {
    return System.getLogger("browser");
  }

  @Override
  public String id() {
    return "browser";
  }

  @Override
  public PluginConfig config() {
    throw new UnsupportedOperationException("config");
  }

  @Override
  public PluginConfig channelConfig(String channel) {
    throw new UnsupportedOperationException("channelConfig");
  }

  @Override
  public Optional<String> secret(String name) {
    return Optional.empty();
  }

  @Override
  public Path stateFolder() {
    throw new UnsupportedOperationException("stateFolder");
  }

  @Override
  public String rendered(String markdown, Markup markup) {
    return markdown;
  }

  @Override
  public Background run(String name, Job job) {
    throw new UnsupportedOperationException("run");
  }

  @Override
  public Background every(String name, Duration pause, Job job) {
    throw new UnsupportedOperationException("every");
  }

  @Override
  public Offer offer(Tool tool) {
    throw new UnsupportedOperationException("offer");
  }

  @Override
  public Offer offer(ChannelAdapter channel) {
    throw new UnsupportedOperationException("offer");
  }

  @Override
  public Offer offer(ModelProvider provider) {
    throw new UnsupportedOperationException("offer");
  }
}
