package dev.holdfast.processes;

import dev.holdfast.processes.Children.Isolation;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Puts around a command what keeps it in: first what ties it to the server's life, then the
 * isolation, then the limits, last a mark on its standard error that says that all of it worked.
 */
record SandboxCommand(Isolation isolation, Programs programs, List<Path> hidden, boolean isRoot) {
  /** Written by the last step before the command itself. */
  static final byte[] STARTED = "\1holdfast: started\n".getBytes(StandardCharsets.US_ASCII);

  private static final String SHELL = "/bin/sh";
  private static final int OPEN_FILES_MAX = 1024;
  private static final String TEMPORARY_BYTES_MAX = Integer.toString(256 << 20);

  /**
   * Joins the control group, and stops when the server died before its death could be noticed. What
   * a child makes is its owner's alone, as all that the server makes.
   */
  private static final String JOIN =
      """
      [ "$PPID" = "$1" ] || exit 125
      umask 077
      shift
      while [ "$1" != -- ]; do
        echo $$ > "$1" || exit 125
        shift
      done
      shift
      exec "$@"
      """;

  /**
   * The first process of a namespace: hides what is to be hidden, brings the child's own folder
   * back, shuts the ways to the kernel that are open to root by file rights alone, gives up all
   * other rights and runs the command. It stays, because the kernel shields a namespace's first
   * process from signals, and ends everything with itself.
   */
  private static final String FIRST =
      """
      root=$1
      work=$2
      shift 2
      for path; do
        [ "$path" = -- ] && break
        if [ -d "$path" ]; then
          mount -t tmpfs -o mode=755,size=64k holdfast "$path" || exit 125
        else
          mount -c --bind /dev/null "$path" || exit 125
        fi
      done
      mkdir -p "$work" && mount -c --bind /proc/self/cwd "$work" || exit 125
      while [ "$1" != -- ]; do
        [ ! -d "$1" ] || mount -o remount,bind,ro "$1" || exit 125
        shift
      done
      shift
      [ ! -d /sys/fs/cgroup ] || mount -t tmpfs -o ro,size=4k holdfast /sys/fs/cgroup || exit 125
      if [ "$root" = true ]; then
        for path in /proc/sys /proc/sysrq-trigger /proc/irq /proc/bus; do
          [ -e $path ] || continue
          mount --bind $path $path && mount -o remount,bind,ro $path || exit 125
        done
      fi
      cd "$work" || exit 125
      "$@"
      exit $?
      """;

  private static final String BEGIN = "printf '\\001holdfast: started\\n' >&2; exec \"$@\"";

  /** What is missing for this isolation. */
  Optional<String> missing() {
    List<String> needed =
        switch (isolation) {
          case BUBBLEWRAP -> List.of("bwrap", "prlimit", "setpriv");
          case NAMESPACES -> List.of("unshare", "prlimit", "setpriv", "mount", "mkdir");
          case PROCESS_GROUP -> List.of("setsid");
        };
    return needed.stream().filter(name -> programs.find(name).isEmpty()).findFirst();
  }

  /**
   * @param processesMax for the kernel's limit per user; 0 for none
   * @param joined files of control groups that the child writes itself into
   */
  List<String> wrap(Launch spec, Path program, int processesMax, List<Path> joined) {
    List<String> command = new ArrayList<>();
    add(command, "nice", "-n", "5");
    add(command, "setpriv", "--pdeathsig", "KILL", "--");
    command.addAll(List.of(SHELL, "-c", JOIN, "holdfast-child"));
    command.add(Long.toString(ProcessHandle.current().pid()));
    joined.forEach(file -> command.add(file.toString()));
    command.add("--");
    switch (isolation) {
      case BUBBLEWRAP -> addBubblewrap(command, spec.folder());
      case NAMESPACES -> addNamespaces(command, spec.folder());
      case PROCESS_GROUP -> {
        add(command, "setsid", "--");
        add(command, "setpriv", "--no-new-privs", "--");
      }
    }
    addLimits(command, spec.limits(), processesMax);
    command.addAll(List.of(SHELL, "-c", BEGIN, "holdfast-child", program.toString()));
    command.addAll(spec.command().subList(1, spec.command().size()));
    return command;
  }

  private void addBubblewrap(List<String> command, Path folder) {
    add(command, "bwrap", "--unshare-pid", "--unshare-ipc", "--unshare-uts");
    command.addAll(List.of("--unshare-cgroup-try", "--die-with-parent", "--new-session"));
    command.addAll(List.of("--cap-drop", "ALL", "--ro-bind", "/", "/", "--dev", "/dev"));
    command.addAll(List.of("--proc", "/proc"));
    // Open to root by file rights alone; bubblewrap 0.8 covers them only where it finds them
    // writable.
    for (String kernel : List.of("/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus")) {
      command.addAll(List.of("--ro-bind-try", kernel, kernel));
    }
    // Sockets of other services lie in /run: a read-only view would not keep a child from calling
    // them.
    for (String temporary : List.of("/tmp", "/run")) {
      command.addAll(List.of("--size", TEMPORARY_BYTES_MAX, "--tmpfs", temporary));
    }
    String names = "/run/systemd/resolve";
    command.addAll(List.of("--ro-bind-try", names, names));
    for (Path path : hidden) {
      if (Files.isDirectory(path)) {
        command.addAll(List.of("--tmpfs", path.toString()));
      } else {
        command.addAll(List.of("--ro-bind", "/dev/null", path.toString()));
      }
    }
    command.addAll(List.of("--bind", folder.toString(), folder.toString()));
    for (Path path : hidden) {
      if (Files.isDirectory(path)) {
        command.addAll(List.of("--remount-ro", path.toString()));
      }
    }
    command.addAll(List.of("--chdir", folder.toString(), "--"));
  }

  private void addNamespaces(List<String> command, Path folder) {
    add(command, "unshare");
    if (!isRoot) {
      command.addAll(List.of("--user", "--map-root-user"));
    }
    command.addAll(List.of("--mount", "--ipc", "--uts", "--pid", "--fork", "--kill-child"));
    command.addAll(List.of("--mount-proc", "--", SHELL, "-c", FIRST, "holdfast-first"));
    command.add(Boolean.toString(isRoot));
    command.add(folder.toString());
    hidden.forEach(path -> command.add(path.toString()));
    command.add("--");
    add(command, "setpriv", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs", "--");
  }

  private void addLimits(List<String> command, ProcessSpec.Limits limits, int processesMax) {
    // What counts is memory that is written to, not address space: many runtimes reserve far more
    // than they use.
    HardLimits hard = HardLimits.own();
    List<String> flags = new ArrayList<>(List.of("--core=0"));
    flags.add("--nofile=" + hard.atMost("Max open files", OPEN_FILES_MAX));
    flags.add("--data=" + hard.atMost("Max data size", limits.memoryBytes()));
    flags.add("--fsize=" + hard.atMost("Max file size", limits.fileBytes()));
    if (processesMax > 0) {
      flags.add("--nproc=" + hard.atMost("Max processes", processesMax));
    }
    flags.add("--");
    add(command, "prlimit", flags.toArray(String[]::new));
  }

  /** Leaves the step out when this machine does not have the program. */
  private void add(List<String> command, String program, String... arguments) {
    programs
        .find(program)
        .ifPresent(
            file -> {
              command.add(file.toString());
              command.addAll(List.of(arguments));
            });
  }
}
