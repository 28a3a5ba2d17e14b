/**
 * The tool that reads pages of the web for a model.
 *
 * <p>Knows no chat, no model and no way to an address but through the fetcher's policy.
 */
@NullMarked
package dev.holdfast.tools.web;

import org.jspecify.annotations.NullMarked;
