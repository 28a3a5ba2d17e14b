package dev.holdfast.processes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.processes.ChildrenConfig.Sandbox;
import dev.holdfast.processes.ProcessSpec.Limits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a child may try; all of it ends by itself, should a wall not hold. */
class HostileChildrenTest {
  @TempDir Path temporary;
  private ChildRig rig;

  @BeforeEach
  void makeRig() throws IOException {
    rig = new ChildRig(temporary);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
  void oneThatIgnoresTermIsKilledAfterFiveSeconds(Sandbox sandbox) throws Exception {
    try (Children children = rig.children(sandbox)) {
      String command = "trap '' TERM; echo begun; " + rig.sleeper() + "; " + rig.sleeper();
      ChildResult result = children.run(rig.shell(command, Duration.ofSeconds(2)));
      assertThat(result.timedOut()).isTrue();
      assertThat(result.output()).isEqualTo("begun\n");
      assertThat(result.exitCode()).isEqualTo(137);
      assertThat(result.took()).isBetween(Duration.ofSeconds(6), Duration.ofSeconds(9));
      assertThat(rig.alive()).isZero();
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
  void onePoliteIsGoneAtOnceWhenItsTimeIsOver(Sandbox sandbox) throws Exception {
    try (Children children = rig.children(sandbox)) {
      String command = "trap 'echo bye; exit 3' TERM; sleep 50 & wait";
      ChildResult result = children.run(rig.shell(command, Duration.ofSeconds(2)));
      assertThat(result.timedOut()).isTrue();
      assertThat(result.output()).isEqualTo("bye\n");
      assertThat(result.exitCode()).isEqualTo(3);
      assertThat(result.took()).isLessThan(Duration.ofSeconds(5));
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
  void aDaemonThatHoldsTheOutputEndsWithTheCall(Sandbox sandbox) throws Exception {
    try (Children children = rig.children(sandbox)) {
      String command = "(setsid " + rig.sleeper() + " &) ; sleep 0.5; echo done";
      ChildResult result = children.run(rig.shell(command));
      assertThat(result.output()).isEqualTo("done\n");
      assertThat(result.took()).isLessThan(Duration.ofSeconds(5));
      assertThat(rig.alive()).isZero();
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
  void aFloodingDaemonWithoutEnvironmentFillsNoMemory(Sandbox sandbox) throws Exception {
    try (Children children = rig.children(sandbox)) {
      String command = "(env -i setsid timeout 8 yes &) ; sleep 0.5; echo done";
      ChildResult result = children.run(rig.shell(command));
      assertThat(result.took()).isLessThan(Duration.ofSeconds(5));
      assertThat(result.output().length()).isLessThanOrEqualTo(1 << 20);
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
  void oneThatClosesItsOutputAndLivesOnIsWaitedForAndEnded(Sandbox sandbox) throws Exception {
    try (Children children = rig.children(sandbox)) {
      String command = "exec >&- 2>&-; " + rig.sleeper();
      ChildResult result = children.run(rig.shell(command, Duration.ofSeconds(2)));
      assertThat(result.timedOut()).isTrue();
      assertThat(rig.alive()).isZero();
      command = "(" + rig.sleeper() + " >/dev/null 2>&1 </dev/null &); sleep 0.3";
      assertThat(children.run(rig.shell(command)).exitCode()).isZero();
      assertThat(rig.alive()).isZero();
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
  void endlessOutputIsCountedAndDropped(Sandbox sandbox) throws Exception {
    try (Children children = rig.children(sandbox)) {
      ChildResult result = children.run(rig.shell("yes", Duration.ofSeconds(2)));
      assertThat(result.timedOut()).isTrue();
      assertThat(result.truncated()).isTrue();
      assertThat(result.output()).hasSize(1 << 20).startsWith("y\ny\n");
      assertThat(result.outputBytes()).isGreaterThan(10L << 20);
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
  void aLineWithoutEndIsCutAtACharacter(Sandbox sandbox) throws Exception {
    try (Children children = rig.children(sandbox)) {
      String command = "printf x; yes ä | tr -d '\\n' | head -c 20000001";
      ChildResult result = children.run(rig.shell(command));
      assertThat(result.exitCode()).isZero();
      assertThat(result.outputBytes()).isEqualTo(20_000_002);
      assertThat(result.output()).matches("xä+");
      assertThat(result.truncated()).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
  void aMemoryHogFailsAlone(Sandbox sandbox) throws Exception {
    try (Children children = rig.children(sandbox)) {
      var limits = new Limits(64L << 20, 64, 1L << 20);
      // Holds a line of 400 MB in memory if it may.
      String command = "head -c 400000000 /dev/zero | tail -n 1 | wc -c; echo ${PIPESTATUS[1]}";
      ChildResult result = children.run(rig.spec(command, Duration.ofSeconds(30), limits));
      assertThat(result.output()).isEqualTo("0\n1\n");
      assertThat(result.errors()).contains("memory exhausted");
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
  void aFileDoesNotGrowBeyondItsLimit(Sandbox sandbox) throws Exception {
    try (Children children = rig.children(sandbox)) {
      var limits = new Limits(512L << 20, 64, 1L << 20);
      String command = "head -c 50000000 /dev/zero > big";
      ChildResult result = children.run(rig.spec(command, Duration.ofSeconds(30), limits));
      assertThat(result.exitCode()).isNotZero();
      assertThat(Files.size(rig.work.resolve("big"))).isEqualTo(1 << 20);
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
  void aForkBombIsContained(Sandbox sandbox) throws Exception {
    try (Children children = rig.children(sandbox)) {
      Assumptions.assumeFalse(children.describe().contains("NOT bounded"));
      var limits = new Limits(512L << 20, 64, 1L << 20);
      // First one that stops at 150 by itself: the shell gives up when it cannot fork.
      String bounded =
          "exec sh -c 'i=0; while [ $i -lt 150 ]; do i=$((i+1)); sleep 5 & echo $i; done'";
      ChildResult first = children.run(rig.spec(bounded, Duration.ofSeconds(20), limits));
      assertThat(first.output().lines().count()).isBetween(40L, 80L);
      String bomb = "bomb() { bomb | bomb & }; bomb; sleep 20";
      ChildResult second = children.run(rig.spec(bomb, Duration.ofSeconds(2), limits));
      assertThat(second.took()).isLessThan(Duration.ofSeconds(10));
      assertThat(children.run(rig.shell("echo fine")).output()).isEqualTo("fine\n");
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"BUBBLEWRAP", "NAMESPACES"})
  void theServerIsNotVisible(Sandbox sandbox) throws Exception {
    try (Children children = rig.children(sandbox)) {
      long server = ProcessHandle.current().pid();
      String command =
          "kill -0 "
              + server
              + " || echo hidden; cat /proc/[0-9]*/environ | tr '\\0' '\\n'"
              + " | cut -d= -f1 | sort -u";
      ChildResult result = children.run(rig.shell(command));
      assertThat(result.errors()).contains("No such process");
      assertThat(result.output().lines().toList())
          .contains("hidden", "PATH")
          .isSubsetOf("hidden", "PATH", "HOME", "LANG", "TZ", "PWD", "OLDPWD", "SHLVL", "_");
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"BUBBLEWRAP", "NAMESPACES"})
  void killingTheParentKillsTheChildAlone(Sandbox sandbox) throws Exception {
    try (Children children = rig.children(sandbox)) {
      String own = Files.readSymbolicLink(Path.of("/proc/self/ns/pid")).toString();
      // Only where it cannot reach anybody else.
      String command =
          "[ \"$(readlink /proc/self/ns/pid)\" != '"
              + own
              + "' ] || exit 9;"
              + " kill -9 $PPID; kill -9 1; sleep 0.2; echo still";
      ChildResult result = children.run(rig.shell(command));
      assertThat(result.exitCode()).isIn(0, 137);
      assertThat(children.run(rig.shell("echo fine")).output()).isEqualTo("fine\n");
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"BUBBLEWRAP", "NAMESPACES"})
  void theDataFolderIsOutOfReach(Sandbox sandbox) throws Exception {
    try (Children children = rig.children(sandbox)) {
      String command =
          "cat "
              + rig.data
              + "/token; echo x > "
              + rig.data
              + "/token; echo x > "
              + rig.data
              + "/new; umount "
              + rig.data
              + "; mount -o remount,rw "
              + rig.data
              + "; rm -rf "
              + rig.data
              + "/threads; echo x > kept; ls "
              + rig.data;
      ChildResult result = children.run(rig.shell(command));
      assertThat(result.output()).doesNotContain("canary").isEqualTo("threads\n");
      assertThat(rig.data.resolve("token")).hasContent("canary");
      assertThat(rig.data.resolve("new")).doesNotExist();
      assertThat(rig.work.resolve("kept")).hasContent("x");
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"BUBBLEWRAP", "NAMESPACES"})
  void theKernelIsOutOfReach(Sandbox sandbox) throws Exception {
    try (Children children = rig.children(sandbox)) {
      String command =
          "for file in /proc/sys/kernel/core_pattern /proc/sysrq-trigger"
              + " /sys/fs/cgroup/pids/cgroup.procs /sys/fs/cgroup/cgroup.procs; do"
              + " : >> $file && echo $file; done; mknod dev b 1 1 && echo device; true";
      assertThat(children.run(rig.shell(command)).output()).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource(names = "BUBBLEWRAP")
  void theMachineIsReadOnly(Sandbox sandbox) throws Exception {
    try (Children children = rig.children(sandbox)) {
      String probe = temporary.toRealPath().resolve("probe").toString();
      String command =
          "touch /etc/hf-probe /usr/hf-probe "
              + probe
              + "; touch /tmp/hf-probe && echo tmp;"
              + " ls /run | grep -v systemd";
      ChildResult result = children.run(rig.shell(command));
      assertThat(result.output()).isEqualTo("tmp\n");
      assertThat(result.errors()).contains("/etc/hf-probe", "Read-only");
      assertThat(Path.of("/etc/hf-probe")).doesNotExist();
      assertThat(Path.of("/tmp/hf-probe")).doesNotExist();
      assertThat(Path.of(probe)).doesNotExist();
    }
  }
}
