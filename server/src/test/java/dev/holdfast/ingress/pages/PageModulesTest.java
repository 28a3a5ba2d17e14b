package dev.holdfast.ingress.pages;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The scripts of the chat page among each other. */
class PageModulesTest {
  private static final Pattern IMPORT = Pattern.compile("\\bfrom '([^']+)'");
  private static final Pattern PRELOAD =
      Pattern.compile("<link rel=\"modulepreload\" href=\"([^\"]+)\">");

  private final Assets assets = new Assets();

  private String text(String path) {
    return new String(assets.find(path).orElseThrow().bytes(), StandardCharsets.UTF_8);
  }

  /** Otherwise a browser asks for them one level of imports after the other. */
  @Test
  void everyModuleIsFetchedAtOnce() {
    Set<String> needed = new TreeSet<>();
    Deque<String> unread = new ArrayDeque<>(Set.of("/assets/main.js"));
    while (!unread.isEmpty()) {
      Matcher imported = IMPORT.matcher(text(unread.remove()));
      while (imported.find()) {
        String path = imported.group(1).replaceFirst("^\\./", "/assets/");
        if (needed.add(path) && path.startsWith("/assets/")) {
          unread.add(path);
        }
      }
    }
    Set<String> preloaded = new TreeSet<>();
    Matcher link = PRELOAD.matcher(text("/chat"));
    while (link.find()) {
      preloaded.add(link.group(1));
    }
    assertThat(needed).contains("/assets/render.js", "/webjars/marked.js");
    assertThat(preloaded).isEqualTo(needed);
  }
}
