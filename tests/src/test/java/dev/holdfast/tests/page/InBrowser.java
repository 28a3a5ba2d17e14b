package dev.holdfast.tests.page;

import static java.lang.annotation.ElementType.TYPE;
import static java.lang.annotation.RetentionPolicy.RUNTIME;
import static org.junit.jupiter.api.parallel.ExecutionMode.SAME_THREAD;

import java.lang.annotation.Retention;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;

/** Tests of {@link BrowserPages}: all in one thread, one class after the other. */
@Target(TYPE)
@Retention(RUNTIME)
@Execution(SAME_THREAD)
@Timeout(300)
@interface InBrowser {}
