/**
 * Runs plans: gives their tasks to worker agents under leases, follows their failures down the
 * ladder, and tells of their ends. Knows nothing of models and of HTTP.
 */
@NullMarked
package dev.holdfast.tasks.run;

import org.jspecify.annotations.NullMarked;
