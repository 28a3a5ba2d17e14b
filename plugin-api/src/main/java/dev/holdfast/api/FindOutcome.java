package dev.holdfast.api;

/** What a look into a platform's history says of a reply whose answer was lost. */
public sealed interface FindOutcome {
  /** It arrived. {@code platformId} is the platform's id of the post; empty when it has none. */
  record Found(String platformId) implements FindOutcome {}

  /** It surely did not arrive, and will not: it is posted again. */
  record Absent() implements FindOutcome {}

  /**
   * Nothing can be said. After a passing failure the server looks again; after any other it does
   * without.
   */
  record Failed(Failure failure) implements FindOutcome {}
}
