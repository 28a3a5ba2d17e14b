/**
 * A program that works with Git repositories for models: status, diff, log, add, commit.
 *
 * <p>Trusts no repository: nothing that its configuration or its hooks name is run.
 */
@NullMarked
package dev.holdfast.git;

import org.jspecify.annotations.NullMarked;
