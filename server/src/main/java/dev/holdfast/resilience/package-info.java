/**
 * The policies around every outside call: deadline, retry, breaker, bulkhead, retry-after hold.
 *
 * <p>Knows no domain: neither models nor chats nor the store.
 */
@NullMarked
package dev.holdfast.resilience;

import org.jspecify.annotations.NullMarked;
