package dev.holdfast.extensions;

/**
 * Stands in a list for an item of it that is beyond what can be read.
 *
 * @param name as the item says; empty when it says none
 * @param reason in our own words
 */
record UnreadableItem(String name, String reason) {}
