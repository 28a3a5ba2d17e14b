package dev.holdfast;

/** The entry of {@code java -jar holdfast.jar}. */
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    System.err.println("usage: holdfast " + String.join(" ", args));
  }
}
