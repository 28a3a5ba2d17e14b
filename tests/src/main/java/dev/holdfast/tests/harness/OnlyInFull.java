package dev.holdfast.tests.harness;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The long form of what the normal run tries shortly elsewhere. Runs with {@code
 * -Dholdfast.full=true}, and when it is asked for by name ({@code -Dtest}).
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(OnlyInFull.Condition.class)
public @interface OnlyInFull {
  /** The test of the normal run that tries the same shortly. */
  String shortForm();

  /** Decides. */
  final class Condition implements ExecutionCondition {
    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
      String shortForm =
          context
              .getElement()
              .map(element -> element.getAnnotation(OnlyInFull.class))
              .map(OnlyInFull::shortForm)
              .orElse("");
      return shortForm.isEmpty() || RunLength.isFull() || !System.getProperty("test", "").isEmpty()
          ? ConditionEvaluationResult.enabled("wanted")
          : ConditionEvaluationResult.disabled(
              "the long form of " + shortForm + ": ./holdfast test --full");
    }
  }
}
