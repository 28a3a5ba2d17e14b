package dev.holdfast;

import dev.holdfast.cli.Cli;
import dev.holdfast.cli.RunOptions;

/** The entry of {@code java -jar holdfast.jar}. */
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    System.exit(
        Cli.main(args, Main::serve, (root, variables) -> ServerConfig.from(root, variables)));
  }

  private static int serve(RunOptions options) throws InterruptedException {
    return new Boot(options).run();
  }
}
