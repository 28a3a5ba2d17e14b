package dev.holdfast.extensions;

import dev.holdfast.api.ReplayClass;

/**
 * Something that an extension does for tasks.
 *
 * @param name as the extension itself calls it
 * @param schema the JSON schema of its payload
 */
public record ExtensionAction(String name, String description, String schema, ReplayClass replay) {}
