package dev.holdfast.api;

import java.util.Objects;

/**
 * A file that came with a message, by reference.
 *
 * @param name as the sender called it; never used as a path
 * @param mediaType for example {@code image/png}; empty when the platform named none
 * @param url where it can be fetched
 * @param bytes its size as the platform stated it; -1 when it stated none
 */
public record Attachment(String name, String mediaType, String url, long bytes) {
  public Attachment {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(mediaType, "mediaType");
    Objects.requireNonNull(url, "url");
  }
}
