/**
 * Plugins that come as jars: dropped into a folder they are looked at, loaded and offered, and
 * taken away again, while the server runs.
 *
 * <p>{@link dev.holdfast.plugins.PluginHost} decides which jar is loaded; {@link
 * dev.holdfast.plugins.PluginCalls} is the one place from which their code is called.
 */
@NullMarked
package dev.holdfast.plugins;

import org.jspecify.annotations.NullMarked;
