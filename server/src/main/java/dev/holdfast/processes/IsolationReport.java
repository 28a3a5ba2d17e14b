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
      case BUBBLEWRAP ->
          "bubblewrap: a child sees the machine read-only, may write only to its own folder and a"
              + " private /tmp, sees no other process and not the data folder; all it started ends"
              + " with its call and with the server";
      case NAMESPACES ->
          "namespaces (unshare): a child sees no other process and not the data folder, and has no"
              + " privileges, but writes whatever files the server's user may write; all it started"
              + " ends with its call and with the server";
      case PROCESS_GROUP ->
          "process group: a child sees and reaches all that the server's user does, the data folder"
              + " and the server's environment too; what it started is found and killed with"
              + " its call, and only the child itself is sure to end when the server is killed."
              + " Install bubblewrap for more";
    };
  }

  private String processes() {
    if (groups.isPresent()) {
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
        : "memory: bounded for each process of a child, not for all of them together";
  }
}
