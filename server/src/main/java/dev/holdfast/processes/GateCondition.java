package dev.holdfast.processes;

/**
 * Something that a plugin or a skill needs of the machine or its operator.
 *
 * @param needs what, in words
 * @param step what meets it, for the operator
 */
public record GateCondition(String needs, boolean isMet, String step) {}
