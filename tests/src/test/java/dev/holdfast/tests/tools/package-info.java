/** Tools as people use them: asked for by a model, run by the server, answered in the chat. */
@NullMarked
package dev.holdfast.tests.tools;

import org.jspecify.annotations.NullMarked;
