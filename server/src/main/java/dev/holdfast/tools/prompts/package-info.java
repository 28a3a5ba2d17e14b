/**
 * Messages that others have prepared and people call for by name. Knows neither who prepares them
 * nor what becomes of them.
 */
@NullMarked
package dev.holdfast.tools.prompts;

import org.jspecify.annotations.NullMarked;
