package dev.holdfast.tools;

import dev.holdfast.config.Check;
import dev.holdfast.config.Section;
import dev.holdfast.processes.ChildrenConfig.Sandbox;
import java.time.Duration;

/**
 * The {@code tools.shell} section of holdfast.yaml.
 *
 * @param timeout of a command; the model may ask for less
 */
public record ShellConfig(boolean enabled, Duration timeout, Sandbox sandbox) {
  public ShellConfig {
    Check.inRange("timeout_secs", timeout, Duration.ofSeconds(1), Duration.ofHours(24));
  }

  public static ShellConfig from(Section shell) {
    return new ShellConfig(
        shell.flag("enabled", false),
        shell.seconds("timeout_secs", 120),
        shell.choice("sandbox", Sandbox.class, Sandbox.AUTO));
  }
}
