/**
 * The pages, their files, and logging in.
 *
 * <p>Knows no message: the page asks the API.
 */
@NullMarked
package dev.holdfast.ingress.pages;

import org.jspecify.annotations.NullMarked;
