package dev.holdfast.store.ledgers;

import java.time.Instant;

/**
 * A row of the audit.
 *
 * @param no counted from 1, without gaps
 * @param hash SHA-256 in hex over this row and the hash before it
 */
public record AuditRow(long no, Instant at, AuditEntry entry, String hash) {}
