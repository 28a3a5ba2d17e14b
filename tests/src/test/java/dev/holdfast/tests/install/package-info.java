/**
 * Installs the program as operators do, in a Debian of its own. May not use a class of the server.
 */
@NullMarked
package dev.holdfast.tests.install;

import org.jspecify.annotations.NullMarked;
