package dev.holdfast.tests.harness;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A class whose tests need programs from outside, by {@code apt-get} or {@code npm}, or are about
 * one platform, command or document that most changes do not reach. It runs when one of its files
 * has changed since it last passed, by {@code tests/outside.properties}, and always with {@code
 * -Dholdfast.full=true} or by its name ({@code -Dtest}). When it passes it writes down there what
 * it passed for: the file is checked in.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(OutsideRuns.class)
public @interface Outside {
  /** Files and folders, from the root of the sources; the class itself is always one of them. */
  String[] covers();

  /**
   * The programs that are installed before, each {@code program:package} of Debian. What npm brings
   * the tests install themselves.
   */
  String[] needs() default {};
}
