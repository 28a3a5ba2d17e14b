package dev.holdfast.ingress.pages;

import dev.holdfast.ingress.login.Tokens;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The files that browsers get, from the class path: the chat page, the files that it names, and
 * those that these name. Nothing of a request is ever joined to a path. The addresses of the page's
 * files hold a digest over all of them, so that a browser may keep them for good and never mixes
 * two versions. Thread-safe.
 */
final class Assets {
  private static final String FOLDER = "/assets/";
  private static final String PAGE = "page";
  private static final String OPENED = "opened page";
  private static final String LIBRARIES = "lib/";

  /** A file's name, after what stands before it in the page or in another file. */
  private static final Pattern NAMED =
      Pattern.compile("[\"'](?:/assets|\\.)/((?:lib/)?[a-z0-9][a-z0-9_-]*(?:\\.[a-z0-9]+)+)");

  private static final Pattern STYLE =
      Pattern.compile("\\s*<link rel=\"stylesheet\" href=\"/assets/([a-z]+\\.css)\">");

  /** All style sheets in one: nothing is painted before the last of them is there. */
  private static final String STYLES = "styles.css";

  private static final Map<String, String> TYPES =
      Map.of(
          "html", "text/html; charset=utf-8",
          "css", "text/css; charset=utf-8",
          "js", "text/javascript; charset=utf-8",
          "svg", "image/svg+xml",
          "png", "image/png",
          "webmanifest", "application/manifest+json",
          "yaml", "application/yaml");

  /** Scripts of others, by the name that the page uses, and where they lie in their jar. */
  private static final Map<String, Script> SCRIPTS =
      Map.of(
          "lib/marked.js",
          new Script("org.webjars.npm", "webjars", "marked", "lib/marked.esm.js"),
          "lib/dompurify.js",
          new Script("org.mvnpm", "_static", "dompurify", "dist/purify.es.mjs"),
          "lib/highlight.js",
          new Script("org.webjars", "webjars", "highlightjs", "highlight.min.js"),
          "lib/katex.js",
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

  /**
   * @param etag with its quotes
   * @param isForGood whether this address never means anything else
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared as a record
  record Asset(byte[] bytes, String type, String etag, boolean isForGood) {}

  private @Nullable Map<String, Asset> byPath;

  /**
   * By the path of the request. The first call reads the files, from a jar that is open already.
   */
  Optional<Asset> find(String path) {
    return Optional.ofNullable(byPath().get(path));
  }

  /**
   * The chat page.
   *
   * @param opened whether it begins with its conversations; otherwise a script finds out who reads
   */
  Asset page(boolean opened) {
    return find(opened ? OPENED : PAGE).orElseThrow();
  }

  private synchronized Map<String, Asset> byPath() {
    if (byPath == null) {
      byPath = load();
    }
    return byPath;
  }

  private static Map<String, Asset> load() {
    SortedMap<String, byte[]> files = new TreeMap<>();
    String page = joinStyles(text(read("web/chat.html")), files);
    addNamed(page, files);
    String folder = FOLDER + digest(files) + "/";
    Map<String, Asset> assets = new HashMap<>();
    files.forEach((name, bytes) -> assets.put(folder + name, asset(name, bytes, true)));
    String chat = page.replace(FOLDER, folder);
    String opened = chat.replace("data-view=\"loading\"", "data-view=\"chat\"");
    assets.put(PAGE, asset("chat.html", chat.getBytes(StandardCharsets.UTF_8), false));
    assets.put(OPENED, asset("chat.html", opened.getBytes(StandardCharsets.UTF_8), false));
    assets.put("/openapi.yaml", asset("openapi.yaml", read("openapi.yaml"), false));
    return assets;
  }

  private static String joinStyles(String page, SortedMap<String, byte[]> files) {
    ByteArrayOutputStream styles = new ByteArrayOutputStream();
    String link = "\n  <link rel=\"stylesheet\" href=\"" + FOLDER + STYLES + "\">";
    String joined =
        STYLE
            .matcher(page)
            .replaceAll(
                sheet -> {
                  boolean isFirst = styles.size() == 0;
                  styles.writeBytes(read("web/assets/" + sheet.group(1)));
                  return isFirst ? link : "";
                });
    files.put(STYLES, styles.toByteArray());
    return joined;
  }

  private static void addNamed(String text, SortedMap<String, byte[]> files) {
    Matcher named = NAMED.matcher(text);
    while (named.find()) {
      String name = named.group(1);
      if (files.containsKey(name)) {
        continue;
      }
      Script script = SCRIPTS.get(name);
      byte[] bytes = read(script == null ? "web/assets/" + name : script.resource());
      files.put(name, bytes);
      if (!name.startsWith(LIBRARIES) && !name.endsWith(".png")) {
        addNamed(text(bytes), files);
      }
    }
  }

  private static String digest(SortedMap<String, byte[]> files) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    files.forEach(
        (name, bytes) -> {
          all.writeBytes((name + " " + bytes.length + "\n").getBytes(StandardCharsets.UTF_8));
          all.writeBytes(bytes);
        });
    return digest(all.toByteArray());
  }

  private static String digest(byte[] bytes) {
    return HexFormat.of().formatHex(Tokens.sha256(bytes), 0, 10);
  }

  private static Asset asset(String name, byte[] bytes, boolean isForGood) {
    String type = TYPES.get(name.substring(name.lastIndexOf('.') + 1));
    if (type == null) {
      throw new IllegalStateException(name + ": no media type is known");
    }
    return new Asset(bytes, type, '"' + digest(bytes) + '"', isForGood);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static byte[] read(String resource) {
    try (InputStream in = open(resource)) {
      if (in == null) {
        throw new IllegalStateException(resource + " is not on the class path");
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static @Nullable InputStream open(String resource) {
    return Assets.class.getClassLoader().getResourceAsStream(resource);
  }
}
