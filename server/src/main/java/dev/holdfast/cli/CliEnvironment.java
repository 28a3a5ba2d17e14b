package dev.holdfast.cli;

import dev.holdfast.time.Time;
import java.io.BufferedReader;
import java.nio.file.Path;
import java.util.Map;

/**
 * What surrounds a command, so that a test can put another world around it.
 *
 * @param folder the working folder
 */
record CliEnvironment(
    Map<String, String> environment, BufferedReader in, Terminal screen, Path folder, Time time) {}
