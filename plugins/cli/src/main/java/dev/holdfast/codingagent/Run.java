package dev.holdfast.codingagent;

import java.nio.file.Path;

/**
 * One run of a coding agent.
 *
 * @param session to go on with; empty for a new one
 * @param prompt what it is told
 * @param watcher hears what it does
 */
record Run(
    Path folder,
    String session,
    String prompt,
    Permissions permissions,
    TimeLimits limits,
    Watcher watcher) {

  /** Hears what a coding agent does. */
  interface Watcher {
    /** It works on something, in a few words. */
    void does(String label);

    /** Time passes. */
    void waits();

    /** By this id the session can be gone on with. */
    void knows(String session);
  }
}
