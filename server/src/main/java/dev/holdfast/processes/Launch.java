package dev.holdfast.processes;

import dev.holdfast.processes.ProcessSpec.Limits;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * What is started, where and within which limits, however it is talked to.
 *
 * @param granted what it is shown besides its folder
 * @param network whether it reaches any, where it is in a sandbox
 */
record Launch(
    List<String> command,
    Path folder,
    List<GrantedFolder> granted,
    boolean network,
    Map<String, String> environment,
    Limits limits) {
  Launch {
    command = List.copyOf(command);
    if (command.isEmpty()) {
      throw new IllegalArgumentException("a child without a command");
    }
    granted = GrantedFolder.inOrder(granted);
    environment = Map.copyOf(environment);
  }

  /** The same in another folder. */
  Launch in(Path other) {
    return new Launch(command, other, granted, network, environment, limits);
  }
}
