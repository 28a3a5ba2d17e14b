/**
 * JSON Schema (2020-12) for schemas and values of strangers: a schema is judged when it is read,
 * and no check takes more than a bounded number of steps.
 *
 * <p>Knows nothing of tools.
 */
@NullMarked
package dev.holdfast.tools.schema;

import org.jspecify.annotations.NullMarked;
