/**
 * Skills in the open format of agentskills.io: instructions that the operator has laid down, listed
 * by name and read on demand.
 *
 * <p>Reads its own folders and nothing else; knows no turn.
 */
@NullMarked
package dev.holdfast.tools.skills;

import org.jspecify.annotations.NullMarked;
