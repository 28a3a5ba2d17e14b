package dev.holdfast;

import dev.holdfast.config.ConfigException;
import dev.holdfast.config.ConfigFile;
import dev.holdfast.config.EnvFile;
import dev.holdfast.config.LastGoodConfig;
import dev.holdfast.config.LoadedConfig;
import dev.holdfast.config.Secret;
import dev.holdfast.config.Secrets;
import dev.holdfast.config.Section;
import dev.holdfast.health.ConditionReport;
import dev.holdfast.time.Time;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices a change of the configuration file. A good one is applied as far as that works without a
 * restart: what is handed out has the rest as it was, so that nobody can act on what is said to
 * wait. A bad one leaves the old in force and says why. Belongs to one thread, but for {@link
 * #condition}.
 */
final class ConfigWatch {
  private static final Logger LOG = LoggerFactory.getLogger(ConfigWatch.class);
  private static final String TOKEN = "HOLDFAST_TOKEN";
  private static final Duration LOOK_EVERY = Duration.ofSeconds(2);

  private final Path file;
  private final EnvFile envFile;
  private final LastGoodConfig lastGood;
  private final Function<Section, ServerConfig> reader;
  private final BiConsumer<ServerConfig, LoadedConfig> apply;
  private final Secrets secrets;
  private final Secret token;
  private Stamp envSeen;
  private Stamp envLast;
  private Stamp seen;
  private Stamp last;
  private ServerConfig inForce;
  private volatile @Nullable ConditionReport condition;

  /** Over what the file itself gave cause to say, which holds again when it is back. */
  private volatile boolean missing;

  /** What tells one version of the file from another. */
  private record Stamp(long size, FileTime changed) {
    static final Stamp ABSENT = new Stamp(-1, FileTime.fromMillis(0));

    static Stamp of(Path file) {
      try {
        return new Stamp(Files.size(file), Files.getLastModifiedTime(file));
      } catch (IOException e) {
        return ABSENT;
      }
    }
  }

  /**
   * @param apply hears of each good change: what is in force from now on, and the whole file
   */
  ConfigWatch(Path file, Settings settings, BiConsumer<ServerConfig, LoadedConfig> apply) {
    this.file = file;
    this.envFile = settings.envFile();
    this.envSeen = Stamp.of(envFile.file());
    this.envLast = envSeen;
    this.lastGood = LastGoodConfig.in(settings.dataDir());
    this.reader = root -> ServerConfig.from(root, settings.environment());
    this.apply = apply;
    this.secrets = settings.secrets();
    this.token = settings.token();
    this.inForce = settings.config();
    this.condition = settings.condition().orElse(null);
    this.seen = Stamp.of(file);
    this.last = seen;
  }

  /** Why the server does not run with what the file says; empty when it does. */
  Optional<ConditionReport> condition() {
    return missing ? Optional.of(fileMissing()) : Optional.ofNullable(condition);
  }

  private static ConditionReport fileMissing() {
    return ConditionReport.degraded(
        "file_missing",
        "The configuration file is not where it was; what it said last stays in force. Put it"
            + " back; the server notices it.",
        "Ends when the file is back.");
  }

  /**
   * Runs until interrupted.
   *
   * @param afterLook is run after each look, at a change and without one
   */
  void run(Time time, Runnable afterLook) throws InterruptedException {
    while (true) {
      time.sleep(LOOK_EVERY);
      look();
      afterLook.run();
    }
  }

  void look() {
    Stamp now = Stamp.of(file);
    Stamp envNow = Stamp.of(envFile.file());
    boolean settled = now.equals(last) && envNow.equals(envLast);
    last = now;
    envLast = envNow;
    if (!settled) {
      return; // in the middle of being replaced
    }
    boolean wasMissing = missing;
    missing = now.equals(Stamp.ABSENT) && !seen.equals(Stamp.ABSENT);
    if (missing && !wasMissing) {
      LOG.warn("config: the file is missing; what it said last stays in force");
    }
    if (missing || (now.equals(seen) && envNow.equals(envSeen))) {
      return;
    }
    seen = now;
    envSeen = envNow;
    LoadedConfig loaded = ConfigFile.read(file, envFile.now());
    try {
      ServerConfig changed = make(loaded);
      changed.models().secrets().forEach(secrets::add); // those of the environment
      keep(loaded);
      take(changed, loaded);
    } catch (ConfigException e) {
      condition =
          ConditionReport.degraded(
              "file_refused",
              "The changed configuration is not in force: "
                  + e.problems().getFirst()
                  + ". Correct the file; the server notices it.",
              "Ends when the file is valid.");
      LOG.error("config: the changed file is not in force:\n{}", e.getMessage());
    }
  }

  /** What stands in the file is secret already, though it waits for a restart or is refused. */
  private ServerConfig make(LoadedConfig loaded) throws ConfigException {
    try {
      return loaded.make(reader);
    } finally {
      secrets.addAll(loaded.secrets());
      hideEnvFile(loaded);
    }
  }

  /** The one that it names from the next start on; the one in force stays hidden too. */
  private void hideEnvFile(LoadedConfig loaded) {
    try {
      secrets.addFile(EnvFile.of(loaded, file));
    } catch (InvalidPathException _) {
      // There can be no such file.
    }
  }

  /** Without a copy the change takes effect all the same: only the next start has less to go by. */
  private void keep(LoadedConfig loaded) {
    try {
      lastGood.keep(loaded);
    } catch (IOException e) {
      LOG.warn("config: could not keep a copy of the valid file: {}", e.getMessage());
    }
  }

  /** A token that is taken away is a difference of the configurations. */
  private boolean isOtherToken() {
    String given = envFile.now().getOrDefault(TOKEN, "").strip();
    if (given.isEmpty() || given.equals(token.reveal())) {
      return false;
    }
    secrets.add(given);
    return true;
  }

  private void take(ServerConfig changed, LoadedConfig loaded) {
    ServerConfig now = inForce.withLive(changed);
    List<String> live = inForce.differences(now);
    List<String> waiting = new ArrayList<>(now.differences(changed));
    if (isOtherToken() && !waiting.contains(TOKEN)) {
      waiting.add(TOKEN);
    }
    inForce = now;
    apply.accept(now, loaded);
    condition =
        waiting.isEmpty()
            ? null
            : ConditionReport.degraded(
                "restart_needed",
                "Restart to apply changes to: " + String.join(", ", waiting),
                "Ends with a restart, or when the changes are taken back.");
    LOG.info("config: applied {}; waiting for a restart: {}", live, waiting);
  }
}
