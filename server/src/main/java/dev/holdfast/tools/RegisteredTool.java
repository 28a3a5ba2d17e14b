package dev.holdfast.tools;

import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.Tool;
import dev.holdfast.api.ToolResult;
import dev.holdfast.registry.RegistrationRefusedException;
import java.util.Optional;
import java.util.Set;

/**
 * A tool with its facts and its schemas, read and compiled once.
 *
 * @param isBuiltIn whether it comes with the server: then its label and its schema are trusted not
 *     to hang
 */
record RegisteredTool(
    Tool tool,
    ToolFacts facts,
    SchemaCheck arguments,
    Optional<SchemaCheck> results,
    boolean isBuiltIn) {

  static RegisteredTool builtIn(Tool tool) throws RegistrationRefusedException {
    return of(tool, Set.of(), true);
  }

  static RegisteredTool added(Tool tool, Set<String> reserved) throws RegistrationRefusedException {
    return of(tool, reserved, false);
  }

  private static RegisteredTool of(Tool tool, Set<String> reserved, boolean isBuiltIn)
      throws RegistrationRefusedException {
    ToolFacts facts = ToolFacts.of(tool, reserved);
    String results = facts.spec().resultSchema();
    return new RegisteredTool(
        tool,
        facts,
        SchemaCheck.of("arguments", facts.spec().schema()),
        results.isEmpty() ? Optional.empty() : Optional.of(SchemaCheck.of("results", results)),
        isBuiltIn);
  }

  /** What does not keep the tool's own word is an error, or the model would build on it. */
  ToolResult checked(ToolResult result) {
    if (result.isError()) {
      return result;
    }
    return results
        .flatMap(check -> check.problem(result.text()))
        .map(text -> ToolResult.error(Failure.of(FailureCode.BACKEND_FAILURE, text)))
        .orElse(result);
  }
}
