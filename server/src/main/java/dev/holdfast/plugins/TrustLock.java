package dev.holdfast.plugins;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.store.engine.AtomicFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which jars were trusted, and which plugins the operator has switched off: the file {@code
 * data/plugins.lock}. For one thread at a time.
 */
final class TrustLock {
  private static final Logger LOG = LoggerFactory.getLogger(TrustLock.class);
  private static final String VERSIONS = "versions";
  private static final String DISABLED = "disabled";
  private static final String SHA256 = "sha256";
  private static final String SIGNER = "signer";

  private final ObjectMapper json = new ObjectMapper();
  private final Path file;
  private ObjectNode all;

  private TrustLock(Path file, ObjectNode all) {
    this.file = file;
    this.all = all;
  }

  /**
   * Reads it; a missing one is empty.
   *
   * @throws IOException when it is there and cannot be understood: nothing is trusted by mistake
   */
  static TrustLock open(Path file) throws IOException {
    ObjectMapper json = new ObjectMapper();
    if (!Files.exists(file)) {
      return new TrustLock(file, json.createObjectNode());
    }
    try {
      if (json.readTree(Files.readString(file)) instanceof ObjectNode all) {
        return new TrustLock(file, all);
      }
    } catch (JsonProcessingException e) {
      LOG.debug("plugins: {}: {}", file, e.getMessage());
    }
    throw new IOException(
        file + " is damaged; look at it, or remove it to trust the jars of now as new ones");
  }

  boolean isDisabled(String id) {
    return all.path(id).path(DISABLED).asBoolean(false);
  }

  void setDisabled(String id, boolean disabled) throws IOException {
    change(id, plugin -> plugin.put(DISABLED, disabled));
  }

  /** Trusts this jar from now on. */
  void approve(PluginJar jar) throws IOException {
    change(
        jar.manifest().id(),
        plugin ->
            plugin
                .withObjectProperty(VERSIONS)
                .putObject(jar.manifest().version())
                .put(SHA256, jar.sha256())
                .put(SIGNER, jar.signer()));
  }

  /** Why the jar may not be loaded; empty when it may. Writes down what is trusted by that. */
  Optional<Doubt> doubt(PluginJar jar, PluginsConfig config) throws IOException {
    PluginManifest manifest = jar.manifest();
    JsonNode known = all.path(manifest.id()).path(VERSIONS).path(manifest.version());
    boolean isSame = known.path(SHA256).asText().equals(jar.sha256());
    return switch (config.trust()) {
      case SIGNED ->
          config.signers().contains(jar.signer())
              ? Optional.empty()
              : Optional.of(
                  new Doubt(
                      false,
                      jar.signer().isEmpty()
                          ? "it is not signed, or not all of it by one signer, and plugins.trust is signed"
                          : "it is signed by " + jar.signer() + ", who is not in plugins.signers"));
      case PINNED ->
          isSame
              ? Optional.empty()
              : Optional.of(
                  new Doubt(
                      true, "it waits for approval: holdfast plugins approve " + manifest.id()));
      case TOFU -> {
        if (known.isMissingNode() || manifest.isSnapshot()) {
          if (!isSame) {
            approve(jar);
          }
          yield Optional.empty();
        }
        yield isSame
            ? Optional.empty()
            : Optional.of(
                new Doubt(
                    false,
                    "version %s was another jar when it was first seen (%s). A changed jar needs a new version; if you trust this one: holdfast plugins approve %s"
                        .formatted(
                            manifest.version(),
                            known.path(SHA256).asText().substring(0, 12),
                            manifest.id())));
      }
    };
  }

  /**
   * Why a jar is not trusted.
   *
   * @param waits whether it is simply new
   */
  record Doubt(boolean waits, String text) {}

  /** What cannot be written does not hold either: it would be forgotten at the next start. */
  private void change(String id, Consumer<ObjectNode> plugin) throws IOException {
    ObjectNode changed = all.deepCopy();
    plugin.accept(changed.withObjectProperty(id));
    byte[] bytes =
        json.writerWithDefaultPrettyPrinter()
            .writeValueAsString(changed)
            .getBytes(StandardCharsets.UTF_8);
    AtomicFiles.write(file, bytes);
    all = changed;
  }
}
