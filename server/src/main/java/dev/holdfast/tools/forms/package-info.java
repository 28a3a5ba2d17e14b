/**
 * Short forms that a tool has a person fill in while it runs: what is asked, how it reads in a
 * chat, and what an answer means. Knows neither who asks nor how the person is reached.
 */
@NullMarked
package dev.holdfast.tools.forms;

import org.jspecify.annotations.NullMarked;
