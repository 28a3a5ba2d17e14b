package dev.holdfast.drills;

import dev.holdfast.libc.ProcessCalls;
import java.util.List;

/** What happens to the processes of an extension. Belongs to the thread of its drill. */
public final class ProcessFault implements Injection.Fault {
  private final Keepers keepers;
  private final String id;
  private final List<Long> processes;
  private final int signalAtEnd;
  private boolean over;

  /** Who keeps processes. */
  public interface Keepers {
    List<String> ids();

    /** Those of one, by their ids; empty when it keeps none now. */
    List<Long> processes(String id);

    /** Whether it works, or would with the next call. */
    boolean isWell(String id);
  }

  private ProcessFault(Keepers keepers, String id, List<Long> processes, int signalAtEnd) {
    this.keepers = keepers;
    this.id = id;
    this.processes = processes;
    this.signalAtEnd = signalAtEnd;
  }

  /** They are killed, once. */
  public static Injection killed(Keepers keepers) {
    return target -> begin(keepers, target, ProcessCalls.SIGKILL, 0);
  }

  /** They are stopped, and go on at the end. */
  public static Injection stopped(Keepers keepers) {
    return target -> begin(keepers, target, ProcessCalls.SIGSTOP, ProcessCalls.SIGCONT);
  }

  private static ProcessFault begin(Keepers keepers, String target, int signal, int signalAtEnd)
      throws DrillRefusedException {
    if (!target.isEmpty() && !keepers.ids().contains(target)) {
      throw DrillRefusedException.invalid("there is no extension " + target);
    }
    List<String> meant = target.isEmpty() ? keepers.ids() : List.of(target);
    for (String id : meant) {
      List<Long> found = keepers.processes(id);
      if (!found.isEmpty()) {
        found.forEach(process -> ProcessCalls.kill(process, signal));
        return new ProcessFault(keepers, id, List.copyOf(found), signalAtEnd);
      }
    }
    throw DrillRefusedException.conflict(
        target.isEmpty()
            ? "no extension keeps a process now: use one first, and try again"
            : target + " keeps no process now: use it first, and try again");
  }

  @Override
  public long strikes() {
    return processes.size();
  }

  @Override
  public boolean isRepaired() {
    return keepers.isWell(id);
  }

  /** Those that were ended meanwhile are gone, and their numbers may be somebody else's. */
  @Override
  public void close() {
    if (!over && signalAtEnd != 0) {
      List<Long> now = keepers.processes(id);
      processes.stream()
          .filter(now::contains)
          .forEach(process -> ProcessCalls.kill(process, signalAtEnd));
    }
    over = true;
  }
}
