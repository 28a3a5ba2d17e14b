package dev.holdfast.kit.testing;

import dev.holdfast.api.ChannelAdapter;
import dev.holdfast.api.Markup;
import dev.holdfast.api.ModelProvider;
import dev.holdfast.api.PluginConfig;
import dev.holdfast.api.PluginContext;
import dev.holdfast.api.PluginHttp;
import dev.holdfast.api.Tool;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BinaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Has a client, and a clock that only sleeping and {@link #advance} move. Jobs are kept, and run
 * when a test runs them.
 */
public final class FakeContext implements PluginContext {
  private final PluginHttp http;
  private final Map<String, String> secrets = new ConcurrentHashMap<>();
  private final List<Duration> sleeps = new CopyOnWriteArrayList<>();
  private final Map<String, Job> jobs = new ConcurrentHashMap<>();
  private final List<ChannelAdapter> channels = new CopyOnWriteArrayList<>();
  private final AtomicLong nanos = new AtomicLong();
  private final WarningLog logger = new WarningLog();
  private FakeConfig channelConfig = new FakeConfig(Map.of());
  private BinaryOperator<String> rendered = (markdown, _) -> markdown;
  private @Nullable Path folder;

  public FakeContext(PluginHttp http) {
    this.http = http;
  }

  /** The section of every channel. */
  public FakeContext channelConfig(FakeConfig config) {
    channelConfig = config;
    return this;
  }

  public FakeContext secret(String name, String value) {
    secrets.put(name, value);
    return this;
  }

  public FakeContext stateFolder(Path existing) {
    folder = existing;
    return this;
  }

  /**
   * How Markdown is rendered; without it, it stays as it is.
   *
   * @param renderer given the Markdown and the name of the {@link Markup}
   */
  public FakeContext rendered(BinaryOperator<String> renderer) {
    rendered = renderer;
    return this;
  }

  public List<Duration> sleeps() {
    return List.copyOf(sleeps);
  }

  /** What was logged as a warning or worse. */
  public List<String> warnings() {
    return logger.lines();
  }

  /** Channels that were offered. */
  public List<ChannelAdapter> channels() {
    return List.copyOf(channels);
  }

  /** A job that was begun, by its name. */
  public Job job(String name) {
    return Optional.ofNullable(jobs.get(name))
        .orElseThrow(() -> new AssertionError(jobs.keySet().toString()));
  }

  public void advance(Duration by) {
    nanos.addAndGet(by.toNanos());
  }

  @Override
  public PluginHttp http() {
    return http;
  }

  @Override
  public long nanos() {
    return nanos.get();
  }

  @Override
  public void sleep(Duration wait) {
    sleeps.add(wait);
    advance(wait);
  }

  @Override
  public Instant now() {
    return Instant.EPOCH.plusNanos(nanos());
  }

  @Override
  public System.Logger logger() {
    return logger;
  }

  @Override
  public String id() {
    return "plugin";
  }

  @Override
  public PluginConfig config() {
    return new FakeConfig(Map.of());
  }

  @Override
  public PluginConfig channelConfig(String channel) {
    return channelConfig;
  }

  @Override
  public Optional<String> secret(String name) {
    return Optional.ofNullable(secrets.get(name));
  }

  @Override
  public Path stateFolder() {
    if (folder == null) {
      try {
        folder = Files.createTempDirectory("holdfast-plugin");
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return folder;
  }

  @Override
  public String rendered(String markdown, Markup markup) {
    return rendered.apply(markdown, markup.name());
  }

  @Override
  public Background run(String name, Job job) {
    jobs.put(name, job);
    return () -> jobs.remove(name);
  }

  @Override
  public Background every(String name, Duration pause, Job job) {
    return run(name, job);
  }

  @Override
  public Offer offer(Tool tool) {
    return () -> {};
  }

  @Override
  public Offer offer(ChannelAdapter channel) {
    channels.add(channel);
    return () -> channels.remove(channel);
  }

  @Override
  public Offer offer(ModelProvider provider) {
    return () -> {};
  }
}
