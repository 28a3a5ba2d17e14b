package dev.holdfast.ingress.pages;

import dev.holdfast.ingress.login.Tokens;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The files that browsers get, from the class path. A name either stands on the list, or is one
 * plain segment under {@code /assets/}; nothing of a request is ever joined to a path. Thread-safe.
 */
final class Assets {
  private static final String ASSETS = "/assets/";
  private static final Pattern PLAIN =
      Pattern.compile("[a-z0-9][a-z0-9_-]{0,63}(\\.[a-z0-9]{1,16}){1,2}");
  private static final Map<String, String> TYPES =
      Map.of(
          "html", "text/html; charset=utf-8",
          "css", "text/css; charset=utf-8",
          "js", "text/javascript; charset=utf-8",
          "mjs", "text/javascript; charset=utf-8",
          "svg", "image/svg+xml",
          "png", "image/png",
          "ico", "image/x-icon",
          "woff2", "font/woff2",
          "webmanifest", "application/manifest+json",
          "yaml", "application/yaml");

  /** Scripts of others, by the name that the page uses, and where they lie in their jar. */
  private static final Map<String, Script> SCRIPTS =
      Map.of(
          "/webjars/marked.js",
          new Script("org.webjars.npm", "webjars", "marked", "lib/marked.esm.js"),
          "/webjars/dompurify.js",
          new Script("org.mvnpm", "_static", "dompurify", "dist/purify.es.mjs"),
          "/webjars/highlight.js",
          new Script("org.webjars", "webjars", "highlightjs", "highlight.min.js"),
          "/webjars/katex.js",
          new Script("org.webjars.npm", "webjars", "katex", "dist/katex.min.js"));

  /**
   * @param group who made the jar
   * @param folder where that group keeps such files
   */
  private record Script(String group, String folder, String artifact, String file) {
    String resource() {
      Properties pom = new Properties();
      String properties = "META-INF/maven/%s/%s/pom.properties".formatted(group, artifact);
      try (InputStream in = open(properties)) {
        if (in != null) {
          pom.load(in);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return "META-INF/resources/%s/%s/%s/%s"
          .formatted(folder, artifact, pom.getProperty("version"), file);
    }
  }

  private final Map<String, Optional<Asset>> read = new ConcurrentHashMap<>();

  /** {@code etag}: with its quotes. */
  @SuppressWarnings("ArrayRecordComponent") // never compared as a record
  record Asset(byte[] bytes, String type, String etag) {}

  /**
   * By the path of the request. Reads each file once, from the class path: a jar that is open
   * already.
   */
  Optional<Asset> find(String path) {
    String resource = resource(path);
    return resource == null ? Optional.empty() : read.computeIfAbsent(resource, Assets::load);
  }

  private static @Nullable String resource(String path) {
    switch (path) {
      case "/chat" -> {
        return "web/chat.html";
      }
      case "/openapi.yaml" -> {
        return "openapi.yaml";
      }
      default -> {
        if (path.startsWith(ASSETS)) {
          String name = path.substring(ASSETS.length());
          return PLAIN.matcher(name).matches() ? "web/assets/" + name : null;
        }
        Script script = SCRIPTS.get(path);
        return script == null ? null : script.resource();
      }
    }
  }

  private static Optional<Asset> load(String resource) {
    try (InputStream in = open(resource)) {
      if (in == null) {
        return Optional.empty();
      }
      byte[] bytes = in.readAllBytes();
      String type =
          TYPES.getOrDefault(
              resource.substring(resource.lastIndexOf('.') + 1), "application/octet-stream");
      String digest = Base64.getUrlEncoder().withoutPadding().encodeToString(Tokens.sha256(bytes));
      return Optional.of(new Asset(bytes, type, '"' + digest.substring(0, 16) + '"'));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static @Nullable InputStream open(String resource) {
    return Assets.class.getClassLoader().getResourceAsStream(resource);
  }
}
