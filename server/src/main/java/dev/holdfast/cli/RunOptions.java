package dev.holdfast.cli;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * How the server is to be started.
 *
 * @param config the file; it may be missing when it was not named
 * @param configNamed whether somebody named it: then it must exist
 * @param data goes before {@code server.data_dir}
 * @param strict whether a bad file is refused even if there is a last good one
 * @param takeOver whether a server that holds the data is asked to stop
 * @param environment for {@code ${NAME}} in the file, and {@code HOLDFAST_TOKEN}
 */
public record RunOptions(
    Path config,
    boolean configNamed,
    Optional<Path> data,
    boolean strict,
    boolean takeOver,
    Map<String, String> environment) {}
