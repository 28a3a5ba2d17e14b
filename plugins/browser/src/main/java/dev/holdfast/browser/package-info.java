/**
 * Tools with which models use a Chromium. Knows the plugin API alone.
 *
 * <p>All that the browser asks for goes through {@link dev.holdfast.browser.JudgingProxy}.
 */
@NullMarked
package dev.holdfast.browser;

import org.jspecify.annotations.NullMarked;
