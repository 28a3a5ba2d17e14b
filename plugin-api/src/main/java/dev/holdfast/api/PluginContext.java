package dev.holdfast.api;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * What the server gives to one plugin, for as long as it is loaded. Thread-safe; nothing here works
 * after {@link Plugin#stop} has returned.
 */
public interface PluginContext {
  /** The manifest's {@code Plugin-Id}. */
  String id();

  /**
   * The section {@code plugins.<id>} of the configuration. When it changes, the plugin is stopped
   * and started again.
   */
  PluginConfig config();

  /**
   * The section {@code channels.<name>}, for a plugin that offers a channel of that name. A change
   * starts the plugin again too.
   */
  PluginConfig channelConfig(String channel);

  /**
   * A variable of the environment or of the file {@code env_file}; only those that the manifest
   * names in {@code Holdfast-Requires-Env}, {@code Holdfast-Optional-Env} or {@code
   * Holdfast-Secret-Env}. Its value is hidden in everything that the server writes or sends, unless
   * only {@code Holdfast-Optional-Env} names it.
   *
   * @return empty when it is not set or set to nothing
   * @throws IllegalArgumentException when the manifest does not name it
   */
  Optional<String> secret(String name);

  /** Goes into the server's log, under the plugin's name; secrets are hidden in it. */
  System.Logger logger();

  /** A folder of its own that outlives restarts and newer versions; exists. */
  Path stateFolder();

  /** The wall clock. It may jump: for times that people read, never for a wait. */
  Instant now();

  /** A clock that only goes forward, in nanoseconds from an arbitrary moment. */
  long nanos();

  /**
   * Waits.
   *
   * @throws InterruptedException when the plugin is being stopped
   */
  void sleep(Duration wait) throws InterruptedException;

  /** Requests within the server's limits. */
  PluginHttp http();

  /**
   * The Markdown of a reply as a platform shows it. Never fails: what is no Markdown is shown as it
   * was written. It may be longer than the Markdown by what is escaped. Does not block.
   */
  String rendered(String markdown, Markup markup);

  /**
   * Runs a job on a thread of its own, an operating system's one: endless computation holds up
   * nobody else. It is interrupted when the plugin stops, or by {@link Background#cancel}; whatever
   * it throws is logged with the plugin's name.
   *
   * @param name for logs and thread dumps
   * @throws IllegalStateException when 64 jobs of the plugin run already
   */
  Background run(String name, Job job);

  /**
   * Runs a job again and again, each time on the same thread of its own: first after {@code pause},
   * then {@code pause} after each end. A job that throws is logged and runs again. It is
   * interrupted as one of {@link #run} is, and does not run again then, whatever it makes of that.
   *
   * @throws IllegalStateException when 64 jobs of the plugin run already
   * @throws IllegalArgumentException when {@code pause} is shorter than 10 ms
   */
  Background every(String name, Duration pause, Job job);

  /**
   * Offers a tool to models, from the moment at which {@link Plugin#start} has returned, or at once
   * later. What it says about itself is read here, once. What is offered while the plugin is being
   * stopped is never found.
   *
   * @throws IllegalArgumentException when it cannot be used: a bad or taken name, no object schema
   */
  Offer offer(Tool tool);

  /** Offers a channel; as {@link #offer(Tool)}. */
  Offer offer(ChannelAdapter channel);

  /**
   * Offers a provider of models; as {@link #offer(Tool)}. The configuration has to name it in
   * {@code models.plugin_providers}.
   */
  Offer offer(ModelProvider provider);

  /** Work of a plugin that blocks as it likes and ends when it is interrupted. */
  @FunctionalInterface
  interface Job {
    void run() throws Exception;
  }

  /** A job that was begun. */
  interface Background {
    /** Interrupts it, and does not wait for its end. */
    void cancel();
  }

  /** Something that was offered. */
  interface Offer {
    /** No call of it begins any more; those that run go on. A second time does nothing. */
    void withdraw();
  }
}
