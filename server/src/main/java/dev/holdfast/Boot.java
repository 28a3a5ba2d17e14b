package dev.holdfast;

import dev.holdfast.cli.Logs;
import dev.holdfast.cli.RunOptions;
import dev.holdfast.config.ConfigException;
import dev.holdfast.config.ConfigFile;
import dev.holdfast.config.EnvFile;
import dev.holdfast.config.LastGoodConfig;
import dev.holdfast.config.LoadedConfig;
import dev.holdfast.config.RefusedValueException;
import dev.holdfast.config.Secret;
import dev.holdfast.health.SdNotify;
import dev.holdfast.resilience.Backoff;
import dev.holdfast.store.ApiToken;
import dev.holdfast.store.DataFolder;
import dev.holdfast.store.InstanceLock;
import dev.holdfast.store.engine.StartRefusedException;
import dev.holdfast.supervision.Fatal;
import dev.holdfast.supervision.Preload;
import dev.holdfast.time.Time;
import java.io.Console;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Everything around a server: its configuration, the lock of its data, the signals that end it, its
 * exit code.
 */
final class Boot {
  private static final Logger LOG = LoggerFactory.getLogger(Boot.class);
  static final int CONFIGURATION = StartRefusedException.CONFIGURATION;
  private static final int IO = StartRefusedException.IO;
  private static final Backoff BETWEEN_STARTS =
      new Backoff(Duration.ofSeconds(2), Duration.ofSeconds(60));

  /** How long a start may take that begins after the wait. */
  private static final Duration START_TIME = Duration.ofSeconds(60);

  /** The minimums of all steps of a stop, and the end of the process. */
  private static final Duration STOP_OVERTIME = Duration.ofSeconds(15);

  private final RunOptions options;
  private final EnvFile envFile;
  private final Time time;
  private final CountDownLatch stopAsked = new CountDownLatch(1);
  private final CountDownLatch hurryAsked = new CountDownLatch(1);

  Boot(RunOptions options, Time time) {
    this.options = options;
    this.time = time;
    this.envFile = EnvFile.beside(options.config(), options.environment());
  }

  /** Blocks until the server has stopped. Returns the exit code. */
  int run() throws InterruptedException {
    Fatal.haltOnOutOfMemory();
    Thread.ofPlatform().daemon().name("preload").start(Preload::all);
    Signals.onStop(this::signalled);
    try (SdNotify systemd = SdNotify.from(options.environment())) {
      return untilItStarts(configure(), systemd);
    } catch (ConfigException e) {
      complain("the configuration is invalid:\n" + e.getMessage());
      return CONFIGURATION;
    } catch (StartRefusedException e) {
      complain(e.getMessage());
      return e.exitCode();
    } catch (IOException e) {
      complain(e.getMessage());
      return IO;
    }
  }

  /**
   * A full disk and a busy port pass. Where somebody is told that the start takes longer, it is
   * tried again here, ever more slowly: a restart costs more, comes at one pace, and may be denied
   * in the end. Anybody else wants to see the failure at once.
   */
  private int untilItStarts(LastGoodConfig.Chosen<ServerConfig> chosen, SdNotify systemd)
      throws IOException, StartRefusedException, InterruptedException {
    for (int failures = 1; ; failures++) {
      String why;
      try {
        return runWith(chosen, systemd);
      } catch (StartRefusedException e) {
        if (e.exitCode() != IO || !systemd.isEnabled()) {
          throw e;
        }
        why = String.valueOf(e.getMessage());
      } catch (IOException e) {
        if (!systemd.isEnabled()) {
          throw e;
        }
        why = String.valueOf(e.getMessage());
      }
      Duration wait = BETWEEN_STARTS.after(failures);
      complain(why + "; the start is tried again in " + wait.toSeconds() + " s");
      systemd.status("waiting to start: " + why);
      systemd.extendTimeout(wait.plus(START_TIME));
      if (stopAsked.await(wait.toMillis(), TimeUnit.MILLISECONDS)) {
        return 0;
      }
    }
  }

  private int runWith(LastGoodConfig.Chosen<ServerConfig> chosen, SdNotify systemd)
      throws IOException, StartRefusedException, InterruptedException {
    Path dataDir = dataDir(chosen.config().dataDir());
    DataFolder data = DataFolder.at(dataDir);
    data.check();
    try (InstanceLock _ = lock(dataDir, chosen.config().shutdown())) {
      data.narrow();
      TemporaryFolder.in(dataDir).empty();
      keep(chosen, dataDir);
      Settings settings = new Settings(chosen, options.config(), dataDir, token(dataDir), envFile);
      settings.secrets().add(settings.token());
      settings.config().models().secrets().forEach(settings.secrets()::add);
      Logs.hide(settings.secrets());
      Server server = Server.start(settings, time, systemd);
      systemd.ready("serving");
      boolean terminal =
          Optional.ofNullable(System.console()).filter(Console::isTerminal).isPresent();
      System.out.println(server.welcome(terminal));
      stopAsked.await();
      systemd.stopping("finishing running work");
      systemd.extendTimeout(stopMax(server.stopBudget()));
      server.stop(() -> hurryAsked.getCount() == 0);
      return 0;
    }
  }

  private InstanceLock lock(Path dataDir, Duration stopBudget)
      throws StartRefusedException, InterruptedException {
    return options.takeOver()
        ? InstanceLock.takeOver(dataDir, stopMax(stopBudget), time)
        : InstanceLock.take(dataDir, time);
  }

  /** The most that a stop takes; a budget that is too short for its steps lasts longer. */
  private static Duration stopMax(Duration budget) {
    return budget.plus(STOP_OVERTIME);
  }

  LastGoodConfig.Chosen<ServerConfig> configure() throws ConfigException {
    envFile.problems().forEach(problem -> LOG.warn("config: {}", problem));
    LoadedConfig loaded =
        options.configNamed()
            ? ConfigFile.readExisting(options.config(), envFile.now())
            : ConfigFile.read(options.config(), envFile.now());
    if (options.strict()) {
      return new LastGoodConfig.Chosen<>(loaded.make(this::read), loaded, List.of());
    }
    Path dataDir =
        dataDir(
            loaded
                .peek("server", "data_dir")
                .orElse(DataFolder.defaultFolder(options.environment())));
    return LastGoodConfig.in(dataDir).choose(loaded, options.config(), envFile.now(), this::read);
  }

  private ServerConfig read(dev.holdfast.config.Section root) {
    return ServerConfig.from(root, envFile.now());
  }

  private Path dataDir(String configured) {
    return options.data().orElse(Path.of(configured)).toAbsolutePath().normalize();
  }

  private static void keep(LastGoodConfig.Chosen<ServerConfig> chosen, Path dataDir) {
    if (chosen.isDegraded()) {
      LOG.error("config: {}", chosen.warning());
      return;
    }
    try {
      LastGoodConfig.in(dataDir).keep(chosen.loaded());
    } catch (IOException e) {
      LOG.warn("config: could not keep a copy of the valid file: {}", e.getMessage());
    }
  }

  /** What the environment names goes before the generated one. */
  Secret token(Path dataDir) throws IOException, StartRefusedException {
    Optional<String> given =
        Optional.ofNullable(envFile.now().get("HOLDFAST_TOKEN"))
            .map(String::strip)
            .filter(text -> !text.isEmpty());
    if (given.isEmpty()) {
      return ApiToken.loadOrMake(dataDir);
    }
    try {
      return Settings.operator(new Secret(given.get())).token();
    } catch (RefusedValueException e) {
      throw new StartRefusedException(CONFIGURATION, "HOLDFAST_TOKEN: " + e.getMessage(), e);
    }
  }

  /** A terminal may send two SIGHUPs when it closes: nobody has lost patience. */
  private void signalled(String signal) {
    LOG.info("server: received SIG{}", signal);
    if (stopAsked.getCount() == 0 && !signal.equals(Signals.HANG_UP)) {
      hurryAsked.countDown();
    }
    stopAsked.countDown();
  }

  private static void complain(@org.jspecify.annotations.Nullable String text) {
    System.err.println("holdfast: " + text);
  }
}
