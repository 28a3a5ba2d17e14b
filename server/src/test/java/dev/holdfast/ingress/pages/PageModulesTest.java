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
      Pattern.compile("<link rel=\"modulepreload\" href=\"(/assets/[0-9a-f]{20}/)([^\"]+)\">");

  private final Assets assets = new Assets();

  private static String text(Assets.Asset asset) {
    return new String(asset.bytes(), StandardCharsets.UTF_8);
  }

  /** Otherwise a browser asks for them one level of imports after the other. */
  @Test
  void everyModuleIsFetchedAtOnce() {
    Set<String> preloaded = new TreeSet<>();
    Matcher link = PRELOAD.matcher(text(assets.page(false)));
    String folder = "";
    while (link.find()) {
      folder = link.group(1);
      preloaded.add(link.group(2));
    }
    Set<String> needed = new TreeSet<>();
    Deque<String> unread = new ArrayDeque<>(Set.of("main.js", "start.js"));
    while (!unread.isEmpty()) {
      Matcher imported = IMPORT.matcher(text(assets.find(folder + unread.remove()).orElseThrow()));
      while (imported.find()) {
        assertThat(imported.group(1)).as("what stays within the version").startsWith("./");
        String name = imported.group(1).substring(2);
        if (needed.add(name) && !name.startsWith("lib/")) {
          unread.add(name);
        }
      }
    }
    assertThat(needed).contains("render.js", "lib/marked.js");
    needed.add("main.js"); // start.js imports it when the frame has been painted
    assertThat(preloaded).isEqualTo(needed);
  }
}
