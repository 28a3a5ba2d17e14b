package dev.holdfast;

import dev.holdfast.cli.Cli;

/** The entry of {@code java -jar holdfast.jar}. */
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    System.exit(
        Cli.main(
            args,
            _ -> {
              System.err.println("holdfast: this build has no server");
              return 70;
            },
            root -> root));
  }
}
