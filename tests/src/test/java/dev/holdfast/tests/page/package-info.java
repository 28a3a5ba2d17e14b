/** Uses the chat page of a real server in a real browser. May not use a class of the server. */
@NullMarked
package dev.holdfast.tests.page;

import org.jspecify.annotations.NullMarked;
