package dev.holdfast.store.ledgers;

/**
 * One thing that a person or a tool did. Text that is unknown is empty.
 *
 * @param what such as {@code tool.change}, {@code approval.granted} or {@code
 *     operator.breaker_trip}
 * @param execution the tool call's key
 * @param actor who did it: {@code token:<name>}, {@code person:<platform id>}, {@code tool:<name>}
 *     or {@code server}
 * @param detailsJson a JSON object without secrets; more than 16 KiB is replaced by its hash
 */
public record AuditEntry(
    String what,
    String execution,
    String eventId,
    String threadId,
    String actor,
    String detailsJson) {}
