package dev.holdfast.extensions;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.config.SecretVariables;
import dev.holdfast.processes.GrantedFolder;
import dev.holdfast.processes.LineProcessSpec;
import dev.holdfast.processes.LineProcessSpec.LongLine;
import dev.holdfast.processes.ProcessSpec;
import dev.holdfast.store.engine.AtomicFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/** Makes of an extension's definition what its children are started with. */
final class ExtensionLaunch {
  /** In a command: the extension's own folder. */
  private static final String SCRATCH = "${HOLDFAST_SCRATCH}";

  /** In a command: the Java that the server runs with. */
  private static final String JAVA = "${HOLDFAST_JAVA}";

  /** An argument that stands for each folder that was granted, or none. */
  private static final String FOLDERS = "${HOLDFAST_FOLDERS}";

  /** The same for each that it may write to. */
  private static final String WRITABLE_FOLDERS = "${HOLDFAST_WRITABLE_FOLDERS}";

  static final String FILES = "files";

  private final ExtensionConfig config;
  private final ExtensionServices services;
  private final Path folder;

  ExtensionLaunch(ExtensionConfig config, ExtensionServices services) {
    this.config = config;
    this.services = services;
    this.folder = services.folder().resolve(config.id());
  }

  /** For what the server keeps about it, out of the children's reach. */
  Path folder() {
    return folder;
  }

  /** Starts the child, or makes ready to call the remote server. */
  McpTransport connect() throws CallFailedException, InterruptedException {
    if (config.remote().isPresent()) {
      return new HttpTransport(
          new McpEndpoint(services.http(), config.remote().get()),
          config.limits().outputBytes(),
          services.time());
    }
    return new ProcessTransport(services.children().get().open(kept()));
  }

  private LineProcessSpec kept() throws CallFailedException {
    Path files = files();
    return new LineProcessSpec(
        command(files),
        files,
        config.folders(),
        environment(),
        config.limits().process(),
        config.limits().outputBytes(),
        LongLine.CUT,
        config.limits().outputBytes());
  }

  ProcessSpec once(String input, Duration limit) throws CallFailedException {
    Path files = files();
    return new ProcessSpec(
        command(files),
        files,
        config.folders(),
        environment(),
        input,
        limit,
        config.limits().process(),
        config.limits().outputBytes());
  }

  private List<String> command(Path files) {
    List<String> command = new ArrayList<>();
    for (String part : config.command()) {
      switch (part) {
        case FOLDERS -> command.addAll(granted(_ -> true));
        case WRITABLE_FOLDERS -> command.addAll(granted(GrantedFolder::isWritable));
        default -> command.add(part.replace(SCRATCH, files.toString()).replace(JAVA, java()));
      }
    }
    return command;
  }

  private List<String> granted(Predicate<GrantedFolder> which) {
    return config.folders().stream().filter(which).map(folder -> folder.path().toString()).toList();
  }

  private static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  private Path files() throws CallFailedException {
    Path files = folder.resolve(FILES);
    try {
      AtomicFiles.createFolders(files);
      return files.toRealPath();
    } catch (IOException e) {
      throw new CallFailedException(
          Failure.of(FailureCode.IO, "The extension's folder cannot be made: " + files), e);
    }
  }

  private Map<String, String> environment() throws CallFailedException {
    Map<String, String> known = services.environment().get();
    Map<String, String> granted = new TreeMap<>();
    for (String name : config.environment()) {
      String value = known.getOrDefault(name, "");
      if (value.isEmpty()) {
        String text = "The environment variable " + name + " is not set.";
        throw new CallFailedException(Failure.of(FailureCode.IO, text).as(FailureKind.PERMANENT));
      }
      granted.put(name, value);
    }
    hideSecrets(known);
    return granted;
  }

  /** From now on nobody is shown what of its variables is secret, whether or not it ever starts. */
  void hideSecrets() {
    if (!config.environment().isEmpty()) {
      hideSecrets(services.environment().get());
    }
  }

  private void hideSecrets(Map<String, String> known) {
    for (String name : config.environment()) {
      String value = known.getOrDefault(name, "");
      if (config.secretEnvironment().contains(name)) {
        services.secrets().add(value);
      }
      SecretVariables.in(name, value).forEach(services.secrets()::add);
    }
  }
}
