package dev.holdfast.processes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.processes.ChildrenConfig.Sandbox;
import dev.holdfast.processes.ProcessSpec.Limits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a child may try; all of it ends by itself, should a wall not hold. */
class HostileChildrenTest extends ChildCase {
  private static final Path PYTHON = Path.of("/usr/bin/python3");

  /** Not with sleep as its last word: the shell would become that, and hold nothing. */
  private static final String HOLD =
      "hold=$(head -c 40000000 /dev/zero | tr '\\0' x); sleep 4; echo \"${#hold}\"";

  private static final String HOLD_NAMELESS =
      """
      python3 -c 'import os, time
      f = os.memfd_create("x")
      for i in range(40): os.write(f, b"x" * 1000000)
      time.sleep(4)'
      """
          .strip();

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
  void aFileOfSecretsIsEmptyAlsoOneThatIsNamedLater(Sandbox sandbox) throws Exception {
    // Not in /tmp, where a child sees nothing anyway.
    Path keys = Files.createTempDirectory(Path.of("/var/tmp"), "holdfast-keys-").toRealPath();
    Path link = Files.createSymbolicLink(keys.resolve("link"), keys.resolve("key"));
    Files.writeString(keys.resolve("key"), "canary");
    Files.writeString(keys.resolve("later"), "canary");
    List<Path> secrets = new ArrayList<>(List.of(link, keys.resolve("missing")));
    try (Children children = rig.children(sandbox, () -> secrets)) {
      String command = "cd " + keys + "; cat *; umount key; mv key k2; ln key k3; cat k*";
      assertThat(children.run(rig.shell(command)).output()).isEqualTo("canary");
      secrets.add(keys.resolve("later"));
      assertThat(children.run(rig.shell(command)).output()).isEmpty();
    }
    for (String name : List.of("link", "key", "later", "")) {
      Files.delete(keys.resolve(name));
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"BUBBLEWRAP", "NAMESPACES"})
  void aChildThatRunsSeesNoSecretThatIsReplacedOrMadeMeanwhile(Sandbox sandbox) throws Exception {
    try (SecretFolder keys = new SecretFolder();
        Children children = rig.children(sandbox, keys::secrets)) {
      Path go = rig.work.resolve("go");
      String command =
          "touch ready; while [ ! -e go ]; do sleep 0.05; done; cd %s; cat key link made .new; ls -A"
              .formatted(keys.folder);
      var running =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return children.run(rig.shell(command));
                } catch (Exception e) {
                  throw new CompletionException(e);
                }
              });
      ChildRig.await(Duration.ofSeconds(20), () -> Files.exists(rig.work.resolve("ready")));
      Files.writeString(keys.folder.resolve(".new"), "canary");
      Files.move(
          keys.folder.resolve(".new"), keys.folder.resolve("key"), StandardCopyOption.ATOMIC_MOVE);
      Files.writeString(keys.folder.resolve("made"), "canary");
      Files.delete(keys.folder.resolve("link"));
      Files.writeString(keys.folder.resolve("link"), "canary");
      Files.createFile(go);
      ChildResult result = running.get(30, TimeUnit.SECONDS);
      assertThat(result.output().lines())
          .containsExactlyInAnyOrder("folder", "other", "script", "to-script", "to-nowhere");
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"BUBBLEWRAP", "NAMESPACES"})
  void whatLiesBesideASecretIsSeenAsItIs(Sandbox sandbox) throws Exception {
    try (SecretFolder keys = new SecretFolder();
        Children children = rig.children(sandbox, keys::secrets)) {
      String command =
          "cd %s; ./script; cat to-script 'folder/in it' other; readlink to-nowhere; echo x > other;"
                  .formatted(keys.folder)
              + " echo x > folder/new; touch new; umount other folder . ; rm -f other; ls -A . folder";
      ChildResult result = children.run(rig.shell(command));
      assertThat(result.output())
          .isEqualTo(
              """
              ran
              #!/bin/sh
              echo ran
              inside
              other
              nowhere at all
              .:
              folder
              other
              script
              to-nowhere
              to-script

              folder:
              in it
              """);
      assertThat(keys.folder.resolve("other")).hasContent("other");
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"BUBBLEWRAP", "NAMESPACES"})
  void inAFolderWithTooManyEntriesTheSecretsAloneAreEmpty(Sandbox sandbox) throws Exception {
    try (SecretFolder keys = new SecretFolder();
        Children children = rig.children(sandbox, keys::secrets)) {
      for (int i = 0; i <= HiddenPlaces.SHOWN_MAX; i++) {
        Files.createFile(keys.folder.resolve("f" + i));
      }
      String command = "cd %s; cat key link; ls | wc -l".formatted(keys.folder);
      assertThat(children.run(rig.shell(command)).output().strip())
          .isEqualTo(Integer.toString(HiddenPlaces.SHOWN_MAX + 1 + 7));
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"BUBBLEWRAP", "NAMESPACES"})
  void theDataMayLieBesideASecretAndTheFoldersOfSecretsInOneAnother(Sandbox sandbox)
      throws Exception {
    Path top = Files.createTempDirectory(Path.of("/var/tmp"), "holdfast-top-").toRealPath();
    ChildRig inner = new ChildRig(top);
    Path conf = Files.createDirectory(top.resolve("conf"));
    Files.writeString(top.resolve("key"), "canary");
    Files.writeString(conf.resolve("key"), "canary");
    Files.writeString(conf.resolve("plain"), "plain");
    try (Children children =
        inner.children(sandbox, () -> List.of(conf.resolve("key"), top.resolve("key")))) {
      String command = "echo kept > kept; cd %s; find . | sort; cat conf/plain".formatted(top);
      assertThat(children.run(inner.shell(command)).output().lines())
          .containsExactly(
              ".",
              "./conf",
              "./conf/plain",
              "./data",
              "./data/threads",
              "./data/threads/t1",
              "./data/threads/t1/scratch",
              "./data/threads/t1/scratch/kept",
              "plain");
    } finally {
      SecretFolder.delete(top);
    }
  }

  /** Not in /tmp, where a child sees nothing anyway. */
  private static final class SecretFolder implements AutoCloseable {
    final Path folder =
        Files.createTempDirectory(Path.of("/var/tmp"), "holdfast-keys-").toRealPath();

    SecretFolder() throws IOException {
      Files.writeString(folder.resolve("key"), "canary");
      Files.createSymbolicLink(folder.resolve("link"), folder.resolve("key"));
      Files.writeString(folder.resolve("other"), "other\n");
      Path script = Files.writeString(folder.resolve("script"), "#!/bin/sh\necho ran\n");
      Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
      Files.createSymbolicLink(folder.resolve("to-script"), Path.of("script"));
      Files.createSymbolicLink(folder.resolve("to-nowhere"), Path.of("nowhere at all"));
      Files.createDirectory(folder.resolve("folder"));
      Files.writeString(folder.resolve("folder/in it"), "inside\n");
    }

    List<Path> secrets() {
      return Stream.of("link", "made").map(folder::resolve).toList();
    }

    @Override
    public void close() throws IOException {
      delete(folder);
    }

    static void delete(Path folder) throws IOException {
      try (Stream<Path> all = Files.walk(folder)) {
        for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(path);
        }
      }
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
  @EnumSource(names = {"BUBBLEWRAP", "NAMESPACES"})
  void theMachineIsReadOnly(Sandbox sandbox) throws Exception {
    try (Children children = rig.children(sandbox)) {
      String probe = temporary.toRealPath().resolve("probe").toString();
      String command =
          "touch /etc/hf-probe /usr/hf-probe /var/tmp/hf-probe /dev/hf-probe /proc/hf-probe "
              + probe
              + "; touch /tmp/hf-probe && echo tmp;"
              + " ls /run | grep -v -e systemd -e '^mount$';"
              + " find /dev -type b; find / -xdev -maxdepth 1 -writable -type d -not -path /tmp"
              + " -not -path /run";
      ChildResult result = children.run(rig.shell(command));
      assertThat(result.output()).isEqualTo("tmp\n");
      assertThat(result.errors()).contains("/etc/hf-probe", "Read-only");
      assertThat(Path.of("/etc/hf-probe")).doesNotExist();
      assertThat(Path.of("/var/tmp/hf-probe")).doesNotExist();
      assertThat(Path.of("/tmp/hf-probe")).doesNotExist();
      assertThat(Path.of(probe)).doesNotExist();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"BUBBLEWRAP", "NAMESPACES"})
  void whatItKeepsInMemoryAsFilesIsBounded(Sandbox sandbox) throws Exception {
    try (Children children = rig.children(sandbox)) {
      String command =
          "for folder in /dev/shm /run /dev; do for i in 1 2 3; do"
              + " head -c 40000000 /dev/zero > $folder/$i; done; done;"
              + " du -sm --total /dev/shm /run /dev | tail -n 1 | cut -f1";
      ChildResult result = children.run(rig.shell(command));
      assertThat(result.errors()).contains("No space left");
      assertThat(Integer.parseInt(result.output().strip())).isLessThan(100);
    }
  }

  /** In one of its own it could mount a file system of any size. */
  @ParameterizedTest
  @EnumSource(names = {"BUBBLEWRAP", "NAMESPACES"})
  void itMakesNoNamespaceOfItsOwn(Sandbox sandbox) throws Exception {
    try (Children children = rig.children(sandbox)) {
      String command =
          "unshare --user --map-root-user --mount echo apart; unshare --ipc echo apart";
      assertThat(children.run(rig.shell(command)).output()).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
  void whenMemoryIsShortTheKernelEndsAChildBeforeTheServer(Sandbox sandbox) throws Exception {
    try (Children children = rig.children(sandbox)) {
      ChildResult result = children.run(rig.shell("cat /proc/self/oom_score_adj"));
      assertThat(result.output()).isEqualTo("1000\n");
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"BUBBLEWRAP", "NAMESPACES"})
  void itCannotTakeThatBack(Sandbox sandbox) throws Exception {
    try (Children children = rig.children(sandbox)) {
      String command = "echo 0 > /proc/self/oom_score_adj; cat /proc/self/oom_score_adj";
      assertThat(children.run(rig.shell(command)).output()).isEqualTo("1000\n");
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
  void allItsProcessesTogetherStayWithinItsMemory(Sandbox sandbox) throws Exception {
    try (Children children = rig.children(sandbox)) {
      assertThat(children.run(hog(HOLD)).exceeded()).isEqualTo(ChildResult.Exceeded.MEMORY);
    }
  }

  /** A file that only exists in memory belongs to nobody's resident memory. */
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
  void filesWithoutANameCountAsItsMemory(Sandbox sandbox) throws Exception {
    Assumptions.assumeTrue(Files.isExecutable(PYTHON), "no python3");
    try (Children children = rig.children(sandbox)) {
      assertThat(children.run(hog(HOLD_NAMELESS)).exceeded())
          .isEqualTo(ChildResult.Exceeded.MEMORY);
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
  void bothHoldWhereTheKernelBoundsEachProcessAlone(Sandbox sandbox) throws Exception {
    try (Children children = rig.childrenWithoutGroups(sandbox)) {
      assertThat(children.describe()).contains("the server looks");
      assertThat(children.run(hog(HOLD)).exceeded()).isEqualTo(ChildResult.Exceeded.MEMORY);
      Assumptions.assumeTrue(Files.isExecutable(PYTHON), "no python3");
      assertThat(children.run(hog(HOLD_NAMELESS)).exceeded())
          .isEqualTo(ChildResult.Exceeded.MEMORY);
    }
  }

  /** Six that hold 40 MB each, in 96 MB. */
  private ProcessSpec hog(String hold) {
    String command = "for i in 1 2 3 4 5 6; do (" + hold + ") & done; wait";
    return rig.spec(command, Duration.ofSeconds(25), new Limits(96L << 20, 64, 64L << 20));
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
  void allItsFilesTogetherStayWithinItsDisk(Sandbox sandbox) throws Exception {
    try (Children children = rig.children(sandbox)) {
      var limits = new Limits(512L << 20, 64, 4L << 20);
      Files.write(rig.work.resolve("before"), new byte[8 << 20]);
      String write = "head -c 3000000 /dev/zero > ";
      String named = write + "a/b/1; " + write + "a/2; sleep 20";
      ChildResult result =
          children.run(rig.spec("mkdir -p a/b; " + named, Duration.ofSeconds(25), limits));
      assertThat(result.exceeded()).isEqualTo(ChildResult.Exceeded.DISK);
      String removed = "exec 5>one 6>two; rm one two; " + write + "/dev/fd/5; " + write;
      result =
          children.run(rig.spec(removed + "/dev/fd/6; sleep 20", Duration.ofSeconds(25), limits));
      assertThat(result.exceeded()).isEqualTo(ChildResult.Exceeded.DISK);
      result = children.run(rig.spec("cat before > a/2", Duration.ofSeconds(25), limits));
      assertThat(result.exceeded()).isEqualTo(ChildResult.Exceeded.NOTHING);
    }
  }
}
