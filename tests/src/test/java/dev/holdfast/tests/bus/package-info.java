/** The bus on a real nats-server. May not use a class of the server. */
@NullMarked
package dev.holdfast.tests.bus;

import org.jspecify.annotations.NullMarked;
