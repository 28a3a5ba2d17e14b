package dev.holdfast.tests.bench;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.CompiledPlugin;
import dev.holdfast.tests.harness.ServerRig;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.HdrHistogram.Histogram;

/** How long a jar takes from its drop until it serves, and how much of that is its loading. */
final class PluginRow implements Row {
  private static final Pattern LOADED = Pattern.compile("is ready after (\\d+) ms");

  @Override
  public void run(Scale scale, Report report) throws Exception {
    int drops = scale.count(50, 10);
    Histogram serving = new Histogram(3);
    Histogram loading = new Histogram(3);
    CompiledPlugin relay = CompiledPlugin.ofResource("relay", "Relay");
    try (ServerRig rig = new ServerRig(false)) {
      Path plugins = rig.folder().resolve("plugins");
      rig.setup()
          .set("server.plugins_dir", plugins.toString())
          .set("channels.relay.secret", ServerRig.SECRET)
          .set("channels.relay.reply_url", rig.platform().replyUrl());
      rig.start();
      for (int i = 1; i <= drops; i++) {
        String version = "1.0." + i;
        Path jar = relay.with("Plugin-Version", version).into(plugins);
        long start = System.nanoTime();
        while (!isReady(rig, version)) {
          Await.pause(Duration.ofMillis(2));
        }
        serving.recordValue(System.nanoTime() - start);
        Files.delete(jar);
        Await.until("it is gone", Duration.ofSeconds(10), () -> plugins(rig).isEmpty());
      }
      Matcher loaded = LOADED.matcher(rig.server().output());
      while (loaded.find()) {
        loading.recordValue(Long.parseLong(loaded.group(1)) * 1_000_000);
      }
      report.figure(
          "a jar from its drop to its serving",
          Report.percentiles(serving),
          "the folder is looked at each 100 ms, twice");
      report.figure(
          "of it, loaded and started",
          Report.percentiles(loading),
          "URLClassLoader and a new instance " + Report.millis(bareLoad(relay, drops)));
    }
  }

  private static JsonNode plugins(ServerRig rig) throws IOException {
    return rig.api().get("/api/v1/plugins").json().path("plugins");
  }

  private static boolean isReady(ServerRig rig, String version) throws IOException {
    JsonNode plugin = plugins(rig).path(0);
    return plugin.path("state").asText().equals("ready")
        && plugin.path("version").asText().equals(version);
  }

  private static double bareLoad(CompiledPlugin plugin, int times) throws Exception {
    Path folder = ServerRig.newFolder("holdfast-load");
    try {
      Path jar = plugin.into(folder);
      long start = System.nanoTime();
      for (int i = 0; i < times; i++) {
        try (URLClassLoader loader = new URLClassLoader(new URL[] {jar.toUri().toURL()})) {
          loader.loadClass("Relay").getConstructor().newInstance();
        }
      }
      return (System.nanoTime() - start) / 1e6 / times;
    } finally {
      ServerRig.delete(folder);
    }
  }
}
