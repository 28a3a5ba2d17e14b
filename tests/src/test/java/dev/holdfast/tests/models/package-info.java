/** Each provider's client in this process, against a double that others made. */
@NullMarked
package dev.holdfast.tests.models;

import org.jspecify.annotations.NullMarked;
