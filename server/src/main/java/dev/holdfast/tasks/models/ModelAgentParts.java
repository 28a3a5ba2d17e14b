package dev.holdfast.tasks.models;

import dev.holdfast.tasks.ledger.TaskTalks;
import dev.holdfast.tools.Toolbox;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * What agents that are models are made of.
 *
 * @param toolbox with the tools that there are now
 * @param supervised whether a person is asked before unsafe calls
 */
public record ModelAgentParts(
    TaskModels models,
    TaskTalks talks,
    Supplier<Toolbox> toolbox,
    BooleanSupplier supervised,
    Scratch scratch) {

  /** Gives a plan its folder. */
  @FunctionalInterface
  public interface Scratch {
    /** Made when it is not there. */
    Path of(String planId) throws IOException;
  }
}
