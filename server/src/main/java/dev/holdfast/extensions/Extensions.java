package dev.holdfast.extensions;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.health.ConditionReport;
import dev.holdfast.incidents.IncidentKind;
import dev.holdfast.resilience.Deadline;
import dev.holdfast.resilience.FaultPoint;
import dev.holdfast.tools.prompts.Prompts;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The extensions by their ids, whoever declared them. A changed declaration starts, stops and
 * restarts only what changed. Thread-safe.
 */
public final class Extensions implements ExtensionActions {
  private static final Logger LOG = LoggerFactory.getLogger(Extensions.class);

  /** A child's input is ended, 5 s, TERM, 5 s, KILL. */
  private static final Duration END_MAX = Duration.ofSeconds(15);

  private final ExtensionServices services;
  private final Map<String, Entry> entries = new TreeMap<>();
  private final FaultPoint faults = new FaultPoint();
  private boolean closed;

  private record Entry(String source, Extension extension) {}

  public Extensions(ExtensionServices services) {
    this.services = services;
  }

  /**
   * From now on these are the extensions that {@code source} declares: what it declared before and
   * does not now is stopped, what is declared as it was is left alone. Returns at once.
   *
   * @param source for people, for example {@code configuration} or the id of a plugin
   * @return the ids that were left out because another source has them
   */
  public synchronized List<String> replaceAll(String source, List<ExtensionConfig> declared) {
    List<String> taken = new ArrayList<>();
    Set<String> kept = new HashSet<>();
    if (closed) {
      return taken;
    }
    for (ExtensionConfig config : declared) {
      @Nullable Entry entry = entries.get(config.id());
      if (entry != null && !entry.source().equals(source)) {
        taken.add(config.id());
        LOG.warn("extension {}: {} has it already", config.id(), entry.source());
      } else {
        kept.add(config.id());
        put(source, config, entry);
      }
    }
    List.copyOf(entries.values()).stream()
        .filter(entry -> entry.source().equals(source))
        .map(entry -> entry.extension().config().id())
        .filter(id -> !kept.contains(id))
        .forEach(this::remove);
    return taken;
  }

  private void put(String source, ExtensionConfig config, @Nullable Entry before) {
    if (before != null && before.extension().config().equals(config)) {
      before.extension().hideSecrets(); // a variable may have changed
      return;
    }
    if (before != null) {
      before.extension().stop();
      boolean _ = services.guards().remove(ExtensionCalls.guardName(config.id()));
    }
    Extension made =
        switch (config.protocol()) {
          case MCP -> new McpExtension(source, config, services);
          case ACTION -> new ActionExtension(source, config, services);
        };
    made.hideSecrets();
    entries.put(config.id(), new Entry(source, made));
    made.start(Optional.ofNullable(before).map(Entry::extension));
    LOG.info("extension {}: declared by {}", config.id(), source);
  }

  private void remove(String id) {
    @Nullable Entry entry = entries.remove(id);
    if (entry != null) {
      entry.extension().stop();
      boolean _ = services.guards().remove(ExtensionCalls.guardName(id));
      services.incidents().recovered(IncidentKind.EXTENSION_DOWN, id);
      LOG.info("extension {}: removed", id);
    }
  }

  /**
   * Replaces the children into whose view files of secrets have come since they were started: once
   * their calls have ended, or after 10 s. Returns when all were looked at.
   */
  public void lookAtSecrets() {
    List<Extension> all;
    synchronized (this) {
      all = entries.values().stream().map(Entry::extension).toList();
    }
    all.forEach(Extension::lookAtSecrets);
  }

  /** Where the children of an extension run: all that they may write to. */
  public Path filesOf(String id) {
    return services.folder().resolve(id).resolve(ExtensionLaunch.FILES);
  }

  /** In the order of their ids. */
  public synchronized List<ExtensionView> views() {
    return entries.values().stream().map(entry -> entry.extension().view()).toList();
  }

  public Optional<ExtensionView> view(String id) {
    return find(id).map(Extension::view);
  }

  /** Ends the child and starts it anew, parked or not; false when there is no such extension. */
  public boolean restart(String id) {
    Optional<Extension> found = find(id);
    found.ifPresent(Extension::restart);
    return found.isPresent();
  }

  @Override
  public void renew(String id) {
    find(id).ifPresent(Extension::renew);
  }

  /**
   * Offers the tools of it that wait for an operator. Blocks while that is written down.
   *
   * @param seen the {@link ExtensionView#listing} that the operator has seen; empty for whatever is
   *     listed now
   * @return false when there is no such extension, or it lists something else by now
   */
  public boolean approve(String id, String seen) {
    return find(id).map(extension -> extension.approve(seen)).orElse(false);
  }

  /** Where attempts at tasks go out, by their worker agents. */
  public FaultPoint faults() {
    return faults;
  }

  /**
   * The processes that an extension keeps now, by their ids; empty when it keeps none. Looks them
   * up in the system.
   */
  public List<Long> processes(String id) {
    return find(id).map(Extension::processes).orElse(List.of());
  }

  /** The last lines of the child's standard error, without secrets; empty when there is no such. */
  public Optional<List<String>> logs(String id) {
    return find(id)
        .map(extension -> extension.errors().stream().map(services.secrets()::redact).toList());
  }

  private synchronized Optional<Extension> find(String id) {
    return Optional.ofNullable(entries.get(id)).map(Entry::extension);
  }

  @Override
  public synchronized List<String> ids() {
    return List.copyOf(entries.keySet());
  }

  @Override
  public List<ExtensionAction> actions(String id) {
    return find(id).map(Extension::actions).orElse(List.of());
  }

  @Override
  public Duration callLimit(String id) {
    return find(id).map(extension -> extension.config().timeouts().call()).orElse(Duration.ZERO);
  }

  @Override
  public AttemptAnswer attempt(String id, TaskCall call) throws InterruptedException {
    try {
      faults.pass(call.agent());
    } catch (CallFailedException e) {
      return new AttemptAnswer.Failed(e.failure(), true); // it was never asked
    }
    Optional<Extension> found = find(id);
    if (found.isPresent()) {
      return found.get().attempt(call);
    }
    String text = "There is no extension " + id + ".";
    return new AttemptAnswer.Failed(Failure.of(FailureCode.AGENT_UNAVAILABLE, text).unsent(), true);
  }

  /** What people may call for by name. */
  public Prompts prompts() {
    return new ExtensionPrompts(this::allPrompts, id -> find(id).flatMap(Extensions::promptsOf));
  }

  private synchronized List<McpPrompts> allPrompts() {
    return entries.values().stream()
        .flatMap(entry -> promptsOf(entry.extension()).stream())
        .toList();
  }

  private static Optional<McpPrompts> promptsOf(Extension extension) {
    return extension instanceof McpExtension server
        ? Optional.of(server.prompts())
        : Optional.empty();
  }

  /** What is not well now. Answers from memory. */
  public synchronized List<ConditionReport> reports() {
    return entries.values().stream().flatMap(entry -> entry.extension().report().stream()).toList();
  }

  /** Ends all children at the same time and takes no more. Blocks until they are gone. */
  public void close() throws InterruptedException {
    boolean _ = end(Deadline.in(services.time(), END_MAX));
  }

  /**
   * Ends all sessions at the same time and takes no more: a process has 5 s to end by itself once
   * its input has ended. Blocks until they are gone; false when one was not at the deadline.
   */
  public boolean end(Deadline deadline) throws InterruptedException {
    List<Extension> all;
    synchronized (this) {
      closed = true;
      all = entries.values().stream().map(Entry::extension).toList();
      entries.clear();
    }
    all.forEach(Extension::stop);
    boolean ended = true;
    for (Extension each : all) {
      if (!each.awaitEnd(deadline.left())) {
        ended = false;
        LOG.warn("extension {}: did not end in time", each.config().id());
      }
    }
    return ended;
  }
}
