package dev.holdfast.processes;

import dev.holdfast.processes.ProcessSpec.Limits;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** What is started, where and within which limits, however it is talked to. */
record Launch(List<String> command, Path folder, Map<String, String> environment, Limits limits) {
  Launch {
    command = List.copyOf(command);
    if (command.isEmpty()) {
      throw new IllegalArgumentException("a child without a command");
    }
    environment = Map.copyOf(environment);
  }

  /** The same in another folder. */
  Launch in(Path other) {
    return new Launch(command, other, environment, limits);
  }
}
