package dev.holdfast.plugins;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.resilience.Guard;
import dev.holdfast.resilience.GuardConfig;
import dev.holdfast.resilience.Guards;
import dev.holdfast.time.Time;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * The guards of what one plugin asks of others: one for each host, {@code plugin:ID:HOST}, so that
 * a host that fails blocks no other, and one for the files of a host, {@code plugin:ID:HOST/files},
 * so that downloads that are cut block no post. At most {@link #HOSTS_MAX} hosts have one at a
 * time; further ones share {@code plugin:ID} and {@code plugin:ID/files}. A guard that nobody has
 * used for {@link #IDLE_MAX} is forgotten, unless it still holds calls back. Outlives the versions
 * of its plugin. Thread-safe.
 */
final class HostGuards {
  static final int HOSTS_MAX = 16;
  static final Duration IDLE_MAX = Duration.ofMinutes(10);

  /** What may stand in a name that metrics and conditions show. */
  private static final Pattern NAME = Pattern.compile("[a-z0-9._:\\[\\]-]{1,260}");

  private final String family;
  private final Guards guards;
  private final Time time;
  private final Map<String, Used> used = new HashMap<>(); // of the lock
  private boolean closed; // of the lock

  /** What a host is asked for; each has guards of its own. */
  enum Use {
    CALLS(""),
    FILES("/files");

    private final String suffix;

    Use(String suffix) {
      this.suffix = suffix;
    }
  }

  /** A guard that is there, and since when nobody uses it. */
  private static final class Used {
    private int calls;
    private long idleSinceNanos;
  }

  /** What is called behind a guard. */
  @FunctionalInterface
  interface Guarded<T> {
    T with(Guard guard) throws CallFailedException, InterruptedException;
  }

  HostGuards(String plugin, Guards guards, Time time) {
    this.family = "plugin:" + plugin;
    this.guards = guards;
    this.time = time;
  }

  /**
   * Makes a call behind the guard of a host, which stays for as long as that takes.
   *
   * @param url absolute; one that names no host is the business of whoever sends it
   * @throws CallFailedException as the call, or as its guard
   */
  <T> T call(String url, Guarded<T> call) throws CallFailedException, InterruptedException {
    return call(url, Use.CALLS, call);
  }

  /** As {@link #call(String, Guarded)}, behind the guard that the host has for that use. */
  <T> T call(String url, Use use, Guarded<T> call)
      throws CallFailedException, InterruptedException {
    Guard guard = begin(host(url), use);
    try {
      return call.with(guard);
    } finally {
      end(guard);
    }
  }

  /**
   * The host in lower case, with its port unless the scheme has it anyway; empty when there is none
   * that may be shown.
   */
  static String host(String url) {
    URI uri;
    try {
      uri = new URI(url);
    } catch (URISyntaxException _) {
      return "";
    }
    if (uri.getHost() == null || uri.getScheme() == null) {
      return "";
    }
    boolean isUsual =
        switch (uri.getScheme().toLowerCase(Locale.ROOT)) {
          case "http", "ws" -> uri.getPort() == 80;
          case "https", "wss" -> uri.getPort() == 443;
          default -> false;
        };
    String name = uri.getHost().toLowerCase(Locale.ROOT);
    String bare = name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
    String host = uri.getPort() < 0 || isUsual ? bare : bare + ":" + uri.getPort();
    return NAME.matcher(host).matches() ? host : "";
  }

  private synchronized Guard begin(String host, Use use) {
    forgetIdle();
    String shared = family + use.suffix;
    String name = host.isEmpty() ? shared : family + ":" + host + use.suffix;
    if (!used.containsKey(name) && hosts() >= HOSTS_MAX) {
      name = shared;
    }
    used.computeIfAbsent(name, _ -> new Used()).calls++;
    return guards.guard(name, family, GuardConfig.DEFAULT);
  }

  private synchronized void end(Guard guard) {
    Used ended = Objects.requireNonNull(used.get(guard.name()));
    ended.calls--;
    ended.idleSinceNanos = time.nanos();
    if (closed) {
      removeUnused();
    }
  }

  private int hosts() {
    int shared = 0;
    for (Use use : Use.values()) {
      shared += used.containsKey(family + use.suffix) ? 1 : 0;
    }
    return used.size() - shared;
  }

  /** To be called now and then: what nobody uses is not to stay on show as failed. */
  synchronized void forgetIdle() {
    long now = time.nanos();
    used.entrySet()
        .removeIf(
            each ->
                each.getValue().calls == 0
                    && now - each.getValue().idleSinceNanos > IDLE_MAX.toNanos()
                    && guards.forget(each.getKey()));
  }

  /**
   * The plugin is gone. Each guard goes with the last call behind it, of those too that the plugin
   * makes at its end; what it holds back is remembered.
   */
  synchronized void close() {
    closed = true;
    removeUnused();
  }

  private void removeUnused() {
    used.entrySet()
        .removeIf(
            each -> {
              boolean isUnused = each.getValue().calls == 0;
              if (isUnused) {
                boolean _ = guards.remove(each.getKey());
              }
              return isUnused;
            });
  }
}
