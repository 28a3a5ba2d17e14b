/** Holds what the documents say against what the server does. May not use a class of the server. */
@NullMarked
package dev.holdfast.tests.docs;

import org.jspecify.annotations.NullMarked;
