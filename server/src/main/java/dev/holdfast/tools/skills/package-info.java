/**
 * Skills: instructions that the operator has laid down, listed by name and read on demand.
 *
 * <p>Reads its one folder and nothing else.
 */
@NullMarked
package dev.holdfast.tools.skills;

import org.jspecify.annotations.NullMarked;
