package dev.holdfast.store.engine;

/**
 * A number that is kept durably beside what it counts. Whoever counts declares it once, as a
 * constant.
 *
 * @param name what stands in the database, never to be changed; new ones begin with the name of
 *     their package, such as {@code tasks.open}
 */
public record Counter(String name) {}
