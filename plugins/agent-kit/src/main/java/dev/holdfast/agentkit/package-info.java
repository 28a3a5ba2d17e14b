/**
 * What the bundled worker agents share: the action protocol and the folders that they may reach.
 *
 * <p>Knows the kit's JSON; nothing of the server, which runs these agents as processes.
 */
@NullMarked
package dev.holdfast.agentkit;

import org.jspecify.annotations.NullMarked;
