package dev.holdfast.plugins;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.ChannelAdapter;
import dev.holdfast.api.ModelProvider;
import dev.holdfast.api.Plugin;
import dev.holdfast.api.PluginContext;
import dev.holdfast.api.Tool;
import dev.holdfast.config.ConfigPart;
import dev.holdfast.config.Problem;
import dev.holdfast.extensions.ExtensionGrants;
import dev.holdfast.registry.Registration;
import dev.holdfast.registry.RegistrationRefusedException;
import io.vertx.core.json.Json;
import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One jar that is loaded: its start, what it offers, its end. Belongs to the host's thread, but for
 * {@link #offer}.
 */
final class HostedPlugin {
  private static final Logger LOG = LoggerFactory.getLogger(HostedPlugin.class);
  private static final Duration START_MAX = Duration.ofSeconds(10);
  private static final Duration STOP_MAX = Duration.ofSeconds(5);

  private final PluginJar jar;
  private final PluginServices services;
  private final PluginTexts texts;
  private final PluginLoader.Opened opened;
  private final PluginCalls calls;
  private final List<ConfigPart> parts = new ArrayList<>();
  private final Map<List<String>, String> sections = new LinkedHashMap<>();
  private final List<Offered> offers = new ArrayList<>();
  private List<String> extensions = List.of();
  private volatile boolean hasExtensions;
  private final AtomicReference<@Nullable String> tooMuch = new AtomicReference<>();
  private boolean published;
  private boolean withdrawn;

  /** Set by a thread of the plugin, which may still be at it when its start has timed out. */
  private volatile @Nullable Plugin plugin;

  /** How to register something under the lock of its registry. */
  @FunctionalInterface
  private interface Register {
    Registration with(Set<Registration> replaceable) throws RegistrationRefusedException;
  }

  /** Something that the plugin offers, registered or about to be. */
  private final class Offered implements PluginContext.Offer {
    private final String name;
    private final Register register;
    private @Nullable Registration registration;

    Offered(String name, Register register) {
      this.name = name;
      this.register = register;
    }

    @Override
    public void withdraw() {
      synchronized (offers) {
        offers.remove(this);
        if (registration != null) {
          registration.remove();
        }
      }
    }
  }

  /** Opens the server's own copy of a jar; no class of it is loaded yet. */
  HostedPlugin(PluginJar jar, Path copy, PluginServices services) throws PluginRefusedException {
    this.jar = jar;
    this.services = services;
    this.texts = new PluginTexts(this::redacted);
    this.opened =
        PluginLoader.open(
            copy, status -> onTooMuch("it tried to end the server with status " + status));
    this.calls =
        new PluginCalls(
            jar.manifest().id(), opened.loader(), services.time(), this::onTooMuch, texts);
  }

  private void onTooMuch(String reason) {
    boolean _ = tooMuch.compareAndSet(null, reason);
  }

  /** Why it should be parked; empty when nothing speaks against it. */
  Optional<String> tooMuch() {
    return Optional.ofNullable(tooMuch.get());
  }

  PluginJar jar() {
    return jar;
  }

  PluginCalls calls() {
    return calls;
  }

  /** What it offers now, in words. */
  List<String> offers() {
    Stream<String> declared = extensions.stream().map(id -> "extension " + id);
    synchronized (offers) {
      return Stream.concat(declared, offers.stream().map(offer -> offer.name)).sorted().toList();
    }
  }

  /** Takes note of the extensions that others run for it. */
  void declares(List<String> ids) {
    extensions = ids;
  }

  /** Blocks for as long as the plugin may take. Nothing of it is offered yet. */
  void start(HostedContext context) throws PluginRefusedException, InterruptedException {
    try {
      boolean _ = calls.call("start", START_MAX, () -> startOnItsThread(context));
    } catch (PluginFailedException | CallFailedException e) {
      throw new PluginRefusedException("it could not be started: " + e.getMessage());
    }
    hideSecrets();
    List<Problem> problems;
    synchronized (parts) {
      problems = parts.stream().flatMap(part -> part.problems().stream()).distinct().toList();
    }
    problems.forEach(problem -> LOG.warn("plugin {}: {}", jar.manifest().id(), problem));
    if (!problems.isEmpty()) {
      throw new PluginRefusedException(
          texts.of("its configuration is wrong: " + problems.getFirst())
              + more(problems.size() - 1));
    }
  }

  private static String more(int others) {
    return others == 0 ? "" : " (and " + others + " more; see the log)";
  }

  private boolean startOnItsThread(HostedContext context) throws Exception {
    String name = jar.manifest().className();
    if (name.isEmpty()) {
      ServiceLoader.load(Tool.class, opened.loader()).forEach(context::offer);
      ServiceLoader.load(ChannelAdapter.class, opened.loader()).forEach(context::offer);
      ServiceLoader.load(ModelProvider.class, opened.loader()).forEach(context::offer);
      return true;
    }
    Object made = opened.loader().loadClass(name).getConstructor().newInstance();
    if (!(made instanceof Plugin started)) {
      throw new IllegalStateException(name + " is no " + Plugin.class.getName());
    }
    plugin = started;
    started.start(context);
    return true;
  }

  /** The sections of the configuration that it has read, with what stood in them first. */
  Map<List<String>, String> sections() {
    synchronized (parts) {
      return new LinkedHashMap<>(sections);
    }
  }

  ConfigPart read(String... path) {
    ConfigPart part = noted(path);
    synchronized (parts) {
      parts.add(part);
    }
    services.secrets().addAll(part.secrets());
    return part;
  }

  private ConfigPart noted(String... path) {
    ConfigPart part = services.settings().part(path);
    synchronized (parts) {
      String _ = sections.putIfAbsent(List.of(path), part.content());
    }
    return part;
  }

  /** Its own section, of which the host reads what is for the extensions of the jar. */
  ConfigPart ownSection() {
    ConfigPart part = read("plugins", jar.manifest().id());
    if (hasExtensions) {
      ExtensionGrants _ = JarExtensions.grants(part.section());
    }
    return part;
  }

  /** The extensions of its jar, with what the operator lets them reach. */
  JarExtensions reaching(JarExtensions declared) throws PluginRefusedException {
    hasExtensions = !declared.configs().isEmpty();
    if (!hasExtensions) {
      return declared;
    }
    String id = jar.manifest().id();
    // A class asks for the rest of the section; without one there must be nothing else in it.
    boolean isAll = jar.manifest().className().isEmpty();
    ConfigPart part = isAll ? read("plugins", id) : noted("plugins", id);
    ExtensionGrants grants = JarExtensions.grants(part.section());
    if (declared.hasSettings()) {
      grants = grants.with(Json.encode(part.section().rest()));
    }
    return declared.granted(grants, "plugins." + id);
  }

  /** Of secrets that were read after the part was handed out. */
  void hideSecrets() {
    synchronized (parts) {
      parts.forEach(part -> services.secrets().addAll(part.secrets()));
    }
  }

  private String redacted(String text) {
    hideSecrets();
    return services.secrets().redact(text);
  }

  PluginContext.Offer offer(HostedTool tool) {
    return offer("tool " + tool.spec().name(), over -> services.toolbox().add(tool, over));
  }

  PluginContext.Offer offer(HostedChannel channel) {
    return offer(
        "channel " + channel.channel(),
        over -> services.channels().add(channel, services.time().now(), over));
  }

  PluginContext.Offer offer(HostedProvider provider) {
    return offer("models of " + provider.name(), over -> services.models().add(provider, over));
  }

  private PluginContext.Offer offer(String name, Register register) {
    Offered offered = new Offered(name, register);
    synchronized (offers) {
      if (withdrawn) {
        return offered; // its code still runs, and does not know yet
      }
      offers.add(offered);
      if (published) {
        try {
          offered.registration = register.with(Set.of());
        } catch (RegistrationRefusedException e) {
          offers.remove(offered);
          throw new IllegalArgumentException(e.getMessage());
        }
      }
    }
    return offered;
  }

  /**
   * Everybody finds what it offers, in place of what an earlier one offered under the same names.
   *
   * @throws PluginRefusedException when something cannot be used; then nothing of it is offered
   */
  void publish(@Nullable HostedPlugin earlier) throws PluginRefusedException {
    Set<Registration> replaceable = earlier == null ? Set.of() : earlier.registrations();
    synchronized (offers) {
      for (Offered offered : offers) {
        try {
          offered.registration = offered.register.with(replaceable);
        } catch (RegistrationRefusedException | RuntimeException | LinkageError e) {
          withdraw();
          if (earlier != null) {
            earlier.restore();
          }
          throw new PluginRefusedException(offered.name + ": " + e.getMessage());
        }
      }
      published = true;
    }
  }

  /** Offers again what a newer one had taken the place of. */
  private void restore() {
    synchronized (offers) {
      Set<Registration> own = registrations();
      for (Offered offered : offers) {
        try {
          offered.registration = offered.register.with(own);
        } catch (RegistrationRefusedException e) {
          LOG.error("plugin {}: {} is lost: {}", jar.manifest().id(), offered.name, e.getMessage());
        }
      }
    }
  }

  private Set<Registration> registrations() {
    synchronized (offers) {
      Set<Registration> all = new HashSet<>();
      offers.forEach(offer -> Optional.ofNullable(offer.registration).ifPresent(all::add));
      return all;
    }
  }

  /** Nobody finds it any more, nor what it offers from now on; calls that run go on. */
  void withdraw() {
    synchronized (offers) {
      withdrawn = true;
      registrations().forEach(Registration::remove);
    }
  }

  /**
   * Lets calls end, stops it, ends its threads, and gives up its classes.
   *
   * @param patience for calls that run
   */
  Gone close(HostedContext context, Duration patience) throws InterruptedException {
    withdraw();
    long end = services.time().nanos() + patience.toNanos();
    for (Registration registration : registrations()) {
      boolean _ =
          registration.awaitEnd(Duration.ofNanos(Math.max(0, end - services.time().nanos())));
    }
    Plugin started = plugin;
    if (started != null) {
      try {
        boolean _ =
            calls.call(
                "stop",
                STOP_MAX,
                () -> {
                  started.stop();
                  return true;
                });
      } catch (PluginFailedException | CallFailedException e) {
        LOG.warn("plugin {}: {}", jar.manifest().id(), e.getMessage());
      }
    }
    context.close();
    List<String> left = calls.close(STOP_MAX);
    if (!left.isEmpty()) {
      LOG.warn("plugin {}: still running: {}", jar.manifest().id(), left);
    }
    synchronized (offers) {
      offers.clear();
    }
    plugin = null;
    ReferenceQueue<ClassLoader> queue = new ReferenceQueue<>();
    Gone gone =
        new Gone(
            jar.manifest().id(),
            new PhantomReference<>(opened.loader(), queue),
            services.time().nanos());
    opened.close();
    return gone;
  }

  /** A class loader that should vanish. */
  record Gone(String id, PhantomReference<ClassLoader> loader, long sinceNanos) {
    boolean isAlive() {
      return !loader.refersTo(null);
    }
  }
}
