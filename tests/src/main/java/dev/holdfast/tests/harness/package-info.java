/**
 * Starts the real jar and plays everything around it: platform, model, load, faults, and the oracle
 * that judges the outcome. May not use a class of the server: it knows what a stranger can see.
 */
@NullMarked
package dev.holdfast.tests.harness;

import org.jspecify.annotations.NullMarked;
