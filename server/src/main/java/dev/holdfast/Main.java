package dev.holdfast;

import dev.holdfast.cli.Cli;
import dev.holdfast.cli.RunOptions;
import dev.holdfast.time.ScaledTime;
import dev.holdfast.time.SystemTime;
import dev.holdfast.time.Time;

/** The entry of {@code java -jar holdfast.jar}. */
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    System.exit(
        Cli.main(args, Main::serve, (root, variables) -> ServerConfig.from(root, variables)));
  }

  private static int serve(RunOptions options) throws InterruptedException {
    Time time;
    try {
      time = ScaledTime.from(System.getProperties(), new SystemTime());
    } catch (IllegalArgumentException e) {
      System.err.println("holdfast: " + e.getMessage());
      return Boot.CONFIGURATION;
    }
    return new Boot(options, time).run();
  }
}
