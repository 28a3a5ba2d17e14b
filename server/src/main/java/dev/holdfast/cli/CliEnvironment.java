package dev.holdfast.cli;

import dev.holdfast.time.Time;
import java.io.BufferedReader;
import java.nio.file.Path;
import java.util.Map;

/**
 * What a command finds around it; a test puts its own in its place.
 *
 * @param variables of the process, by name
 * @param folder the working folder
 * @param isRealTerminal whether lines can be edited
 */
record CliEnvironment(
    Map<String, String> variables,
    BufferedReader in,
    Terminal terminal,
    Path folder,
    Time time,
    boolean isRealTerminal) {}
