package dev.holdfast.tests.harness;

/**
 * A request of a bot to the API of its platform.
 *
 * @param path below the API's base, with its query
 */
public record RecordedCall(String method, String path, String body) {}
