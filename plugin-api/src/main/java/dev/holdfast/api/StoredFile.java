package dev.holdfast.api;

import java.nio.file.Path;

/**
 * A file that the server keeps for a chat thread. Only a reference: whoever needs the content reads
 * it when it is needed, and must be ready to find it gone.
 *
 * @param name for people; never a path
 * @param mediaType by its content, whatever the sender claimed, for example {@code image/png}
 * @param file where it lies; its own name says nothing
 * @param bytes its size
 */
public record StoredFile(String name, String mediaType, Path file, long bytes) {}
