/**
 * What most channels need: signatures, filters, parts of long texts.
 *
 * <p>Knows the JDK and the API alone; reads no clock, opens nothing, blocks nowhere.
 */
@NullMarked
package dev.holdfast.api.channels;

import org.jspecify.annotations.NullMarked;
