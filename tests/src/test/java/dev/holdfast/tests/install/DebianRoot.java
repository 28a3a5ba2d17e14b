package dev.holdfast.tests.install;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Commands;
import dev.holdfast.tests.harness.ServerRig;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.opentest4j.TestAbortedException;

/**
 * A Debian whose files can be changed at will: a layer over those of this machine, or with {@code
 * -Dholdfast.debootstrap=true} over a minimal system that is fetched first, which takes a minute.
 * Its processes see its files alone. Closing it ends them and forgets all changes.
 */
final class DebianRoot implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final int STARTS_MAX = 30;

  /** The layer lies on the disk, or in memory where a disk cannot hold one. */
  private static final String MOUNT =
      """
      set -eu
      upper() {
        mkdir -p "$1/changes" "$1/work" &&
          mount -t overlay overlay -o "lowerdir=$lower,upperdir=$1/changes,workdir=$1/work" "$root"
      }
      init=$1 lower=$2 root=$3/root
      shift
      mkdir -p "$root" "$2/layer"
      upper "$2/layer" 2>/dev/null || { mount -t tmpfs tmpfs "$2/layer" && upper "$2/layer"; }
      mount -t proc proc "$root/proc"
      mount --rbind /dev "$root/dev"
      mount -t tmpfs tmpfs "$root/run"
      ready=$2/ready
      shift 2
      for folder; do
        mkdir -p "$root$folder"
        mount --bind "$folder" "$root$folder"
      done
      if [ "$init" = sleep ]; then
        touch "$ready"
        exec sleep infinity
      fi
      mkdir -p "$root/run/lock"
      mount -t sysfs sysfs "$root/sys" || mount --rbind /sys "$root/sys"
      if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
        mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
      else
        mount -t tmpfs tmpfs "$root/sys/fs/cgroup"
        mkdir "$root/sys/fs/cgroup/systemd" "$root/sys/fs/cgroup/unified"
        mount -t cgroup -o none,name=systemd cgroup "$root/sys/fs/cgroup/systemd"
        mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup/unified"
      fi
      # Nothing of this machine is started in it, and nothing forbids what is installed to start.
      rm -rf "$root"/etc/systemd/system/*.wants "$root/usr/sbin/policy-rc.d"
      printf '[Unit]\\nDescription=Tests\\n' >"$root/etc/systemd/system/tests.target"
      # Not chroot, in which no unit could make a namespace for its users.
      mkdir -p "$root/old"
      cd "$root"
      pivot_root . old
      touch "old$ready"
      umount --lazy /old
      exec env -i container=lxc PATH=/usr/sbin:/usr/bin:/sbin:/bin \\
        /lib/systemd/systemd --system --unit=tests.target --log-target=console
      """;

  private final Path folder = ServerRig.newFolder("holdfast-debian");
  private final List<String> namespaces;
  private final Process holder;
  private final long inside;

  record Ended(int code, String output) {}

  /**
   * Skips the test where that cannot be done.
   *
   * @param shared folders of this machine that are there too, under the same names
   */
  DebianRoot(Path... shared) throws IOException {
    this("sleep", List.of(), shared);
  }

  /** One with a systemd of its own that is ready, and with a network of its own. */
  static DebianRoot withSystemd(Path... shared) throws IOException, InterruptedException {
    Assumptions.assumeTrue(Files.isExecutable(Path.of("/lib/systemd/systemd")), "no systemd here");
    DebianRoot root =
        new DebianRoot("systemd", List.of("--net", "--ipc", "--uts", "--cgroup"), shared);
    for (int tries = 0; tries < STARTS_MAX; tries++) {
      if (end(root.command("systemctl", "is-system-running")).output().startsWith("running")) {
        return root;
      }
      Await.pause(Duration.ofSeconds(1));
    }
    String log = Files.readString(root.folder.resolve("log"));
    root.close();
    throw new TestAbortedException("systemd does not start in a namespace of this machine: " + log);
  }

  private DebianRoot(String init, List<String> namespaces, Path... shared) throws IOException {
    Commands.assumeRoot();
    for (String program : List.of("unshare", "nsenter", "chroot", "dpkg")) {
      Commands.assumePresent(program);
    }
    this.namespaces = namespaces;
    Path log = folder.resolve("log");
    List<String> command =
        new ArrayList<>(
            List.of("unshare", "--mount", "--pid", "--mount-proc", "--fork", "--kill-child"));
    command.addAll(namespaces);
    command.addAll(
        List.of("bash", "-c", MOUNT, "mount", init, lower().toString(), folder.toString()));
    Stream.of(shared).map(Path::toString).forEach(command::add);
    holder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    Await.until(
        "the layer is mounted",
        Duration.ofSeconds(20),
        () -> Files.exists(folder.resolve("ready")) || !holder.isAlive());
    if (!holder.isAlive()) {
      String said = Files.readString(log);
      ServerRig.delete(folder);
      Assumptions.abort("a layer over the files of this machine is not allowed here: " + said);
    }
    inside = holder.descendants().mapToLong(ProcessHandle::pid).min().orElseThrow();
  }

  private Path lower() {
    if (!Boolean.getBoolean("holdfast.debootstrap")) {
      return Path.of("/");
    }
    Commands.assumePresent("debootstrap");
    Path minimal = folder.resolve("minimal");
    Commands.run("debootstrap", "--variant=minbase", "bookworm", minimal.toString());
    return minimal;
  }

  /** A file of this Debian, to be read and written from outside. */
  Path file(String absolute) {
    return Path.of("/proc/%d/root%s%s".formatted(inside, mounted(), absolute));
  }

  /** A command in this Debian, as root, with nothing of the environment of the tests. */
  ProcessBuilder command(String... words) {
    return outside(
        Stream.concat(
                Stream.of(
                    "chroot",
                    mounted() + "/",
                    "env",
                    "-i",
                    "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                    "HOME=/root",
                    "HOLDFAST_AOT=off",
                    "DEBIAN_FRONTEND=noninteractive"),
                Stream.of(words))
            .toArray(String[]::new));
  }

  /** A command that sees the whole machine, with this Debian at {@link #mounted}. */
  ProcessBuilder outside(String... words) {
    List<String> all =
        new ArrayList<>(List.of("nsenter", "--target", Long.toString(inside), "--mount", "--pid"));
    all.addAll(namespaces);
    all.add("--");
    all.addAll(List.of(words));
    return new ProcessBuilder(all).redirectErrorStream(true);
  }

  /**
   * The start of a command that is confined: all files are read-only but one folder, it has a /tmp
   * of its own, no devices, homes and rights.
   */
  List<String> confined(String user, String writable) {
    return List.of(
        "bwrap",
        "--die-with-parent",
        "--ro-bind",
        mounted(),
        "/",
        "--bind",
        mounted() + writable,
        writable,
        "--tmpfs",
        "/home",
        "--tmpfs",
        "/root",
        "--perms",
        "1777",
        "--tmpfs",
        "/tmp",
        "--dev",
        "/dev",
        "--proc",
        "/proc",
        "--chdir",
        writable,
        "--cap-add",
        "CAP_SETUID",
        "--cap-add",
        "CAP_SETGID",
        "--cap-add",
        "CAP_SETPCAP",
        "setpriv",
        "--reuid",
        user,
        "--regid",
        user,
        "--init-groups",
        "--inh-caps=-all",
        "--bounding-set=-all",
        "--no-new-privs");
  }

  /** Where it is for commands that see the whole machine; empty where it is all that they see. */
  String mounted() {
    return namespaces.isEmpty() ? folder.resolve("root").toString() : "";
  }

  /** Runs it to its end, whatever that is. */
  static Ended end(ProcessBuilder builder) throws IOException, InterruptedException {
    Path log = Files.createTempFile("holdfast-debian", ".log");
    Process process = builder.redirectOutput(log.toFile()).start();
    try {
      assertThat(process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS))
          .as("ended: %s", builder.command())
          .isTrue();
      return new Ended(process.exitValue(), Files.readString(log, StandardCharsets.UTF_8));
    } finally {
      process.destroyForcibly();
      Files.delete(log);
    }
  }

  /** Runs a command that must succeed. Returns what it printed. */
  String run(String... words) throws IOException, InterruptedException {
    Ended ended = end(command(words));
    assertThat(ended.code()).as("%s: %s", List.of(words), ended.output()).isZero();
    return ended.output();
  }

  @Override
  public void close() {
    holder.destroyForcibly();
    Await.until("its processes ended", Duration.ofSeconds(20), () -> !holder.isAlive());
    ServerRig.delete(folder);
  }
}
