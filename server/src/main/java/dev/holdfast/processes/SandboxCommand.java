package dev.holdfast.processes;

import dev.holdfast.processes.Children.Isolation;
import java.io.IOException;
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
record SandboxCommand(Isolation isolation, Programs programs, HiddenPlaces hidden, boolean isRoot) {
  /** Written by the last step before the command itself. */
  static final byte[] STARTED = "\1holdfast: started\n".getBytes(StandardCharsets.US_ASCII);

  private static final String SHELL = "/bin/sh";
  private static final int OPEN_FILES_MAX = 1024;

  // What a child may keep in memory as files; the script for namespaces says the same.
  private static final int TEMPORARY_BYTES_MAX = 256 << 20;
  private static final int RUN_BYTES_MAX = 16 << 20;
  private static final int SHARED_BYTES_MAX = 64 << 20;

  /**
   * Joins the control group, and stops when the server died before its death could be noticed. When
   * memory is short the kernel ends a child before the server. What a child makes is its owner's
   * alone, as all that the server makes.
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
      { echo 1000 > /proc/self/oom_score_adj; } 2>/dev/null
      exec "$@"
      """;

  /**
   * The first process of a namespace: makes small file systems for what the child may write to,
   * keeps the granted folders in reach, hides what is to be hidden (of some folders all but the
   * named entries), brings the child's own folder and the granted ones back, makes all else
   * read-only, gives up all rights and runs the command. It stays, because the kernel shields a
   * namespace's first process from signals, and ends everything with itself.
   *
   * <p>Devices are left out but for those that hold nothing: to the owner of a disk its device is a
   * plain file. A mount that is covered by another is out of reach and stays as it is. The flags
   * that a mount has must be named again, or the kernel refuses.
   */
  private static final String FIRST =
      """
      work=$1
      shift
      echo 0 > /proc/sys/user/max_user_namespaces || exit 125
      exec 3</dev 5</tmp 6</run
      names=
      [ ! -d /run/systemd/resolve ] || { names=yes && exec 4</run/systemd/resolve; }
      memory() { mount -t tmpfs -o "nosuid,nodev,mode=$3,size=$1" holdfast "$2" || exit 125; }
      memory 256m /tmp 1777
      memory 16m /run 755
      if [ "$names" ]; then
        mkdir -p /run/systemd/resolve && mount -c --bind /proc/self/fd/4 /run/systemd/resolve \
          || exit 125
      fi
      memory 64k /dev 755
      for device in null zero full random urandom tty; do
        [ -e /proc/self/fd/3/$device ] || continue
        : > /dev/$device && mount -c --bind /proc/self/fd/3/$device /dev/$device || exit 125
      done
      ln -s /proc/self/fd /dev/fd && ln -s pts/ptmx /dev/ptmx || exit 125
      for name in 0:stdin 1:stdout 2:stderr; do
        ln -s /proc/self/fd/${name%:*} /dev/${name#*:} || exit 125
      done
      mkdir /dev/shm /dev/pts || exit 125
      memory 64m /dev/shm 1777
      mount -t devpts -o nosuid,noexec,newinstance,ptmxmode=666,mode=620 devpts /dev/pts || exit 125
      exec 3<&- 4<&-
      line='
      '
      shown=$line
      writable=$line
      grants=0
      while [ "$1" = grant ]; do
        case $2 in write) writable=$writable$3$line ;; *) shown=$shown$3$line ;; esac
        case $3 in
          /tmp/*) from=/proc/self/fd/5/${3#/tmp/} ;;
          /run/*) from=/proc/self/fd/6/${3#/run/} ;;
          *) from=$3 ;;
        esac
        kept=/run/holdfast-grants/$grants
        mkdir -p "$kept" && mount -c --rbind "$from" "$kept" || exit 125
        eval "granted_$grants=\\$3"
        grants=$((grants + 1))
        shift 3
      done
      exec 5<&- 6<&-
      while [ "$1" = partly ]; do
        folder=$2
        shift 2
        exec 3<"$folder" || exit 125
        memory 1m "$folder" 755
        while [ "$1" != / ]; do
          from=/proc/self/fd/3/$1 to=$folder/$1
          shift
          if [ -L "$from" ]; then
            ln -s -- "$(readlink -- "$from")" "$to" || exit 125
          elif [ -e "$from" ]; then
            if [ -d "$from" ]; then mkdir -- "$to"; else : > "$to"; fi
            mount -c --rbind "$from" "$to" || exit 125
          fi
        done
        shift
        exec 3<&-
      done
      for path; do
        [ "$path" = -- ] && break
        if [ -d "$path" ]; then
          memory 64k "$path" 755
        elif [ -e "$path" ]; then
          mount -c --bind /dev/null "$path" || exit 125
        else
          case $work in "$path"/*) mkdir -p "$path" && memory 64k "$path" 755 ;; esac
        fi
      done
      mkdir -p "$work" && mount -c --bind /proc/self/cwd "$work" || exit 125
      grant=0
      while [ $grant -lt $grants ]; do
        eval "folder=\\$granted_$grant"
        mkdir -p "$folder" && mount -c --move /run/holdfast-grants/$grant "$folder" || exit 125
        grant=$((grant + 1))
      done
      while [ "$1" != -- ]; do
        [ ! -d "$1" ] || mount -c -o remount,bind,ro,nosuid,nodev holdfast "$1" || exit 125
        shift
      done
      shift
      [ ! -d /sys/fs/cgroup ] || mount -t tmpfs -o ro,size=4k holdfast /sys/fs/cgroup || exit 125
      while read -r _ _ _ _ point options _; do
        case $point in
          *\\\\*) point=$(printf '%b.' "$point") && point=${point%.} ;;
        esac
        kept=
        case $point in
          /run/systemd/resolve) ;;
          "$work" | /tmp | /tmp/* | /run | /run/* | /dev/?* | /proc/?* | /sys/fs/cgroup*) kept=yes ;;
        esac
        case $shown in *"$line$point$line"*) kept= ;; esac
        case $writable in *"$line$point$line"*) kept=yes ;; esac
        [ -z "$kept" ] || continue
        flags=remount,bind,ro
        for flag in nosuid nodev noexec; do
          case ,$options, in *,$flag,*) flags=$flags,$flag ;; esac
        done
        mount -c -o "$flags" holdfast "$point" 2>&3 || ! mountpoint -q "$point" || exit 125
      done 3>/dev/null </proc/self/mountinfo
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
          case NAMESPACES ->
              List.of(
                  "unshare",
                  "prlimit",
                  "setpriv",
                  "mount",
                  "mountpoint",
                  "mkdir",
                  "ln",
                  "readlink");
          case PROCESS_GROUP -> List.of("setsid");
        };
    return needed.stream().filter(name -> programs.find(name).isEmpty()).findFirst();
  }

  /**
   * @param processesMax for the kernel's limit per user; 0 for none
   * @param joined files of control groups that the child writes itself into
   * @param covered what the child must not see
   */
  List<String> wrap(
      Launch spec, Path program, int processesMax, List<Path> joined, CoveredPlaces covered) {
    List<String> command = new ArrayList<>();
    add(command, "nice", "-n", "5");
    add(command, "setpriv", "--pdeathsig", "KILL", "--");
    command.addAll(List.of(SHELL, "-c", JOIN, "holdfast-child"));
    command.add(Long.toString(ProcessHandle.current().pid()));
    joined.forEach(file -> command.add(file.toString()));
    command.add("--");
    switch (isolation) {
      case BUBBLEWRAP -> addBubblewrap(command, spec, covered);
      case NAMESPACES -> addNamespaces(command, spec, covered);
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

  private void addBubblewrap(List<String> command, Launch spec, CoveredPlaces covered) {
    Path folder = spec.folder();
    add(command, "bwrap", "--unshare-user", "--disable-userns", "--unshare-pid", "--unshare-ipc");
    command.addAll(List.of("--unshare-uts", "--unshare-cgroup-try", "--die-with-parent"));
    if (!spec.network()) {
      command.add("--unshare-net");
    }
    command.addAll(List.of("--new-session", "--cap-drop", "ALL", "--ro-bind", "/", "/"));
    command.addAll(List.of("--dev", "/dev", "--proc", "/proc"));
    addMemory(command, "/dev/shm", SHARED_BYTES_MAX);
    // Open to root by file rights alone; bubblewrap 0.8 covers them only where it finds them
    // writable.
    for (String kernel : List.of("/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus")) {
      command.addAll(List.of("--ro-bind-try", kernel, kernel));
    }
    command.addAll(List.of("--remount-ro", "/dev", "--remount-ro", "/proc"));
    addMemory(command, "/tmp", TEMPORARY_BYTES_MAX);
    // Sockets of other services lie in /run: a read-only view would not keep a child from calling
    // them.
    addMemory(command, "/run", RUN_BYTES_MAX);
    String names = "/run/systemd/resolve";
    command.addAll(List.of("--ro-bind-try", names, names));
    covered.folders().forEach(partly -> addPartly(command, partly));
    for (Path path : covered.places()) {
      if (Files.isDirectory(path)) {
        command.addAll(List.of("--tmpfs", path.toString()));
      } else {
        command.addAll(List.of("--ro-bind", "/dev/null", path.toString()));
      }
    }
    command.addAll(List.of("--bind", folder.toString(), folder.toString()));
    for (GrantedFolder granted : spec.granted()) {
      String path = granted.path().toString();
      command.addAll(List.of(granted.isWritable() ? "--bind" : "--ro-bind", path, path));
    }
    for (Path path : covered.places()) {
      if (Files.isDirectory(path)) {
        command.addAll(List.of("--remount-ro", path.toString()));
      }
    }
    covered
        .folders()
        .forEach(partly -> command.addAll(List.of("--remount-ro", partly.path().toString())));
    command.addAll(List.of("--chdir", folder.toString(), "--"));
  }

  private static void addPartly(List<String> command, CoveredPlaces.Folder partly) {
    command.addAll(List.of("--tmpfs", partly.path().toString()));
    for (String name : partly.shown()) {
      Path entry = partly.path().resolve(name);
      if (!Files.isSymbolicLink(entry)) {
        command.addAll(List.of("--ro-bind-try", entry.toString(), entry.toString()));
      } else {
        linked(entry)
            .ifPresent(to -> command.addAll(List.of("--symlink", to.toString(), entry.toString())));
      }
    }
  }

  private static Optional<Path> linked(Path link) {
    try {
      return Optional.of(Files.readSymbolicLink(link));
    } catch (IOException _) {
      return Optional.empty(); // it is gone by now
    }
  }

  private static void addMemory(List<String> command, String folder, int bytesMax) {
    command.addAll(List.of("--size", Integer.toString(bytesMax), "--tmpfs", folder));
  }

  private void addNamespaces(List<String> command, Launch spec, CoveredPlaces covered) {
    add(command, "unshare", "--user", "--map-root-user", "--mount", "--ipc", "--uts", "--pid");
    if (!spec.network()) {
      command.add("--net");
    }
    command.addAll(List.of("--fork", "--kill-child", "--mount-proc", "--"));
    command.addAll(List.of(SHELL, "-c", FIRST, "holdfast-first", spec.folder().toString()));
    for (GrantedFolder granted : spec.granted()) {
      command.addAll(
          List.of("grant", granted.isWritable() ? "write" : "read", granted.path().toString()));
    }
    for (CoveredPlaces.Folder partly : covered.folders()) {
      command.addAll(List.of("partly", partly.path().toString()));
      command.addAll(partly.shown());
      command.add("/");
    }
    covered.places().forEach(path -> command.add(path.toString()));
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
