package dev.holdfast.channels;

import dev.holdfast.config.Section;

/** The {@code channels.web} section of holdfast.yaml: the chat page and the API that it uses. */
public record WebConfig(boolean enabled) {
  public static WebConfig from(Section web) {
    return new WebConfig(web.flag("enabled", true));
  }
}
