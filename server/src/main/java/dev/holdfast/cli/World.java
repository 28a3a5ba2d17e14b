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
record World(
    Map<String, String> environment, BufferedReader in, Screen screen, Path folder, Time time) {}
