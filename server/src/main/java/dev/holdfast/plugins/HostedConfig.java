package dev.holdfast.plugins;

import dev.holdfast.api.PluginConfig;
import dev.holdfast.config.Section;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A section as a plugin reads it. For one thread. */
record HostedConfig(Section section) implements PluginConfig {
  @Override
  public boolean isPresent() {
    return section.isPresent();
  }

  @Override
  public String text(String key, String fallback) {
    return section.text(key, fallback);
  }

  @Override
  public int whole(String key, int fallback) {
    return section.whole(key, fallback);
  }

  @Override
  public boolean flag(String key, boolean fallback) {
    return section.flag(key, fallback);
  }

  @Override
  public Duration seconds(String key, long fallback) {
    return section.seconds(key, fallback);
  }

  @Override
  public List<String> texts(String key, List<String> fallback) {
    return section.texts(key, fallback);
  }

  @Override
  public String secret(String key) {
    return section.secret(key).reveal();
  }

  @Override
  public PluginConfig section(String key) {
    return new HostedConfig(section.section(key));
  }

  @Override
  public Map<String, PluginConfig> named(String key) {
    Map<String, PluginConfig> named = new LinkedHashMap<>();
    section.named(key).forEach((name, each) -> named.put(name, new HostedConfig(each)));
    return named;
  }

  @Override
  public void problem(String key, String sentence) {
    section.problem(key, sentence);
  }
}
