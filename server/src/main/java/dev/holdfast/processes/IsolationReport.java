package dev.holdfast.processes;

import dev.holdfast.processes.Children.Isolation;
import java.util.Optional;

/** Says to people what keeps children in. */
record IsolationReport(Isolation isolation, Optional<ControlGroups> groups, boolean isRoot) {
  String text() {
    return String.join("\n", separation(), processes(), memory());
  }

  private String separation() {
    return switch (isolation) {
      case BUBBLEWRAP -> walled("bubblewrap");
      case NAMESPACES -> walled("namespaces (unshare)");
      case PROCESS_GROUP ->
          "process group: a child sees and reaches all that the server's user does, the data folder"
              + " and the server's environment too; what it started is found and killed with"
              + " its call, and only the child itself is sure to end when the server is killed."
              + " Install bubblewrap for more"
              + (isRoot ? ". The server runs as root, and runs no command in this way" : "");
    };
  }

  private String walled(String how) {
    return how
        + ": a child sees the machine read-only, may write only to its own folder and to small"
        + " private file systems in memory (/tmp, /run, /dev/shm), sees no other process, not the"
        + " data folder and no file that the configuration is read from; all it started ends with"
        + " its call and with the server"
        + (isRoot ? ". The server runs as root, so a child can read all files of root" : "");
  }

  private String processes() {
    if (groups.filter(ControlGroups::boundsProcesses).isPresent()) {
      return "number of processes: bounded by a control group per child";
    }
    if (isRoot) {
      return "number of processes: NOT bounded: the server runs as root, to which the limit per"
          + " user does not apply, and cannot create a control group";
    }
    return isolation == Isolation.PROCESS_GROUP
        ? "number of processes: bounded by the limit per user, together with the server's own"
        : "number of processes: bounded by the limit per user of the child's own user namespace";
  }

  private String memory() {
    return groups.filter(ControlGroups::boundsMemory).isPresent()
        ? "memory: bounded for a child and all it starts by its control group"
        : "memory: bounded by the kernel for each process of a child only; for all of them together"
            + " the server looks several times a second and ends the child. Under systemd,"
            + " Delegate=memory pids lets the kernel do it";
  }
}
