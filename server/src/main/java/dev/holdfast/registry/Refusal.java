package dev.holdfast.registry;

/** Why something was not registered. {@code kind}: what it is, for example {@code tool}. */
public sealed interface Refusal {
  /** One sentence for an operator. */
  String message();

  /** Something else has the name: it has to be removed first. */
  record NameTaken(String kind, String name) implements Refusal {
    @Override
    public String message() {
      return "another " + kind + " is called " + FactReader.printable(name);
    }
  }

  /** The name belongs to something that comes with the server. */
  record NameReserved(String kind, String name) implements Refusal {
    @Override
    public String message() {
      return "the name "
          + FactReader.printable(name)
          + " belongs to a "
          + kind
          + " that comes with the server";
    }
  }

  /** What it says about itself cannot be used. {@code problem}: the rest of the sentence. */
  record Malformed(String kind, String problem) implements Refusal {
    @Override
    public String message() {
      return "the " + kind + " cannot be used: " + problem;
    }
  }

  /** Its own code failed. {@code error}: the simple name of what was thrown. */
  record CodeFailed(String kind, String method, String error) implements Refusal {
    @Override
    public String message() {
      return "the " + kind + " failed in " + method + ": " + FactReader.printable(error);
    }
  }
}
