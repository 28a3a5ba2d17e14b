package dev.holdfast.plugins;

/**
 * Something that a plugin needs of the machine or its operator.
 *
 * @param needs what, in words
 * @param step what meets it, for the operator
 */
public record GateCondition(String needs, boolean isMet, String step) {}
