/** Chat platforms, each as a bundled jar in the real server, against doubles of the platform. */
@NullMarked
package dev.holdfast.tests.channels;

import org.jspecify.annotations.NullMarked;
