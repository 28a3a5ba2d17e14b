package dev.holdfast.processes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.processes.ChildrenConfig.Sandbox;
import dev.holdfast.processes.LineProcessSpec.LongLine;
import dev.holdfast.processes.OutputLine.Ending;
import dev.holdfast.processes.ProcessSpec.Limits;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Children that are kept, real ones, the hostile among them. */
@Timeout(60)
class LineProcessTest extends ChildCase {
  private static final Duration SOON = Duration.ofSeconds(20);

  private static OutputLine line(LineProcess process) throws Exception {
    return process.read(SOON).orElseThrow();
  }

  private static ChildExit exitOf(LineProcess process) throws Exception {
    return process.exit().get(SOON.toSeconds(), TimeUnit.SECONDS);
  }

  /** The lines that are still to be read are read. */
  private static CallFailedException endOf(LineProcess process) {
    return catchThrowableOfType(
        CallFailedException.class,
        () -> {
          while (true) {
            line(process);
          }
        });
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
  void linesGoInAndComeOutInTheirOrder(Sandbox sandbox) throws Exception {
    try (Children children = rig.children(sandbox);
        LineProcess cat = children.open(rig.lines("exec cat"))) {
      for (int i = 0; i < 200; i++) {
        cat.write("{\"id\":" + i + ",\"text\":\"ä\"}", SOON);
      }
      for (int i = 0; i < 200; i++) {
        OutputLine line = line(cat);
        assertThat(line.text()).isEqualTo("{\"id\":" + i + ",\"text\":\"ä\"}");
        assertThat(line.isWhole()).isTrue();
      }
      assertThat(cat.read(Duration.ofMillis(20))).isEmpty();
      cat.closeInput();
      ChildExit exit = exitOf(cat);
      assertThat(exit.hasStarted()).isTrue();
      assertThat(exit.exitCode()).isZero();
      assertThat(endOf(cat).failure().code()).isEqualTo(FailureCode.IO);
      assertThat(catchThrowableOfType(CallFailedException.class, () -> cat.write("x", SOON)))
          .isNotNull();
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
  void aFloodThatNobodyReadsHoldsTheChildUpAndLosesNothing(Sandbox sandbox) throws Exception {
    try (Children children = rig.children(sandbox);
        LineProcess flood =
            children.open(rig.lines("i=0; while :; do echo line $i; i=$((i+1)); done"))) {
      ChildRig.TIME.sleep(Duration.ofSeconds(1));
      for (int i = 0; i < 20_000; i++) {
        assertThat(line(flood).text()).isEqualTo("line " + i);
      }
      flood.end();
      ChildRig.await(Duration.ofSeconds(7), () -> flood.exit().isDone());
    }
  }

  @Test
  void aLineOf100MegabytesIsCutAndTheNextOneIsWhole() throws Exception {
    String command = "head -c 100000000 /dev/zero | tr '\\0' x; echo; echo next; exec sleep 50";
    try (Children children = rig.children(Sandbox.AUTO);
        LineProcess child = children.open(rig.lines(command))) {
      assertThat(line(child)).isEqualTo(new OutputLine("x".repeat(1000), Ending.CUT));
      assertThat(line(child)).isEqualTo(new OutputLine("next", Ending.WHOLE));
    }
  }

  @Test
  void aLineOf100MegabytesFailsWhereThatIsAsked() throws Exception {
    String command =
        "echo first; head -c 100000000 /dev/zero | tr '\\0' x; echo; echo done >&2; exec sleep 50";
    try (Children children = rig.children(Sandbox.AUTO);
        LineProcess child = children.open(rig.lines(command, LongLine.FAIL))) {
      assertThat(line(child).text()).isEqualTo("first");
      assertThat(endOf(child).failure().code()).isEqualTo(FailureCode.BACKEND_FAILURE);
      // It is read all the same: the child comes to its end.
      ChildRig.await(SOON, () -> child.errors().contains("done"));
    }
  }

  @Test
  void halfALineAtTheEndSaysSo() throws Exception {
    try (Children children = rig.children(Sandbox.AUTO);
        LineProcess child = children.open(rig.lines("printf 'whole\\nhalf'; exit 3"))) {
      assertThat(line(child)).isEqualTo(new OutputLine("whole", Ending.WHOLE));
      assertThat(line(child)).isEqualTo(new OutputLine("half", Ending.STREAM_ENDED));
      assertThat(exitOf(child).exitCode()).isEqualTo(3);
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
  void oneThatNeverReadsHoldsNobodyUpForLongerThanItsDeadline(Sandbox sandbox) throws Exception {
    try (Children children = rig.children(sandbox)) {
      LineProcess child = children.open(rig.lines("exec sleep 50"));
      String line = "x".repeat(5000);
      CallFailedException refused =
          catchThrowableOfType(
              CallFailedException.class,
              () -> {
                while (true) {
                  child.write(line, Duration.ofMillis(300));
                }
              });
      assertThat(refused.failure().code()).isEqualTo(FailureCode.TIMEOUT);
      assertThat(
              catchThrowableOfType(
                      CallFailedException.class, () -> child.write("x".repeat(10_000), SOON))
                  .failure()
                  .kind())
          .isEqualTo(FailureKind.INVALID);
      long begun = ChildRig.TIME.nanos();
      child.close();
      assertThat(Duration.ofNanos(ChildRig.TIME.nanos() - begun))
          .isLessThan(Duration.ofSeconds(30));
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
  void oneThatIgnoresTermIsKilledAfterFiveSecondsWithAllItHasStarted(Sandbox sandbox)
      throws Exception {
    try (Children children = rig.children(sandbox)) {
      String command = "trap '' TERM; " + rig.sleeper() + " & echo begun; " + rig.sleeper();
      LineProcess child = children.open(rig.lines(command + "; " + rig.sleeper()));
      assertThat(line(child).text()).isEqualTo("begun");
      ChildRig.await(SOON, () -> rig.alive() == 2);
      long begun = ChildRig.TIME.nanos();
      child.end();
      assertThat(Duration.ofNanos(ChildRig.TIME.nanos() - begun)).isLessThan(Duration.ofSeconds(1));
      assertThat(exitOf(child).exitCode()).isEqualTo(137);
      assertThat(Duration.ofNanos(ChildRig.TIME.nanos() - begun))
          .isBetween(Duration.ofSeconds(4), Duration.ofSeconds(8));
      assertThat(rig.alive()).isZero();
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
  void aGrandchildThatKeepsThePipeOpenEndsWithTheChild(Sandbox sandbox) throws Exception {
    try (Children children = rig.children(sandbox)) {
      String command = "(setsid " + rig.sleeper() + " &) ; sleep 0.5; echo done";
      LineProcess child = children.open(rig.lines(command));
      assertThat(exitOf(child).exitCode()).isZero();
      assertThat(rig.alive()).isZero();
      assertThat(line(child).text()).isEqualTo("done");
      assertThat(endOf(child)).isNotNull();
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
  void theLast50LinesOfItsErrorsAreKept(Sandbox sandbox) throws Exception {
    try (Children children = rig.children(sandbox)) {
      String command =
          "head -c 3000000 /dev/zero | tr '\\0' x >&2; echo >&2;"
              + " for i in $(seq 1 5000); do echo error $i >&2; done; exit 4";
      LineProcess child = children.open(rig.lines(command));
      ChildExit exit = exitOf(child);
      assertThat(exit.exitCode()).isEqualTo(4);
      assertThat(exit.errors()).hasSize(50).endsWith("error 5000").startsWith("error 4951");
      assertThat(child.errors()).isEqualTo(exit.errors());
    }
  }

  @Test
  void closingTheChildrenEndsThoseThatAreKept() throws Exception {
    Children children = rig.children(Sandbox.AUTO);
    List<LineProcess> kept =
        List.of(children.open(rig.lines(rig.sleeper())), children.open(rig.lines(rig.sleeper())));
    ChildRig.await(SOON, () -> rig.alive() == 2);
    children.close();
    assertThat(rig.alive()).isZero();
    assertThat(kept).allMatch(child -> child.exit().isDone());
    assertThatThrownBy(() -> children.open(rig.lines("true")))
        .isInstanceOf(CallFailedException.class);
  }

  @Test
  void itsEnvironmentIsTheAllowedOneAndItsCommandMustBeThere() throws Exception {
    try (Children children = rig.children(Sandbox.AUTO)) {
      LineProcessSpec spec =
          new LineProcessSpec(
              List.of("env"),
              rig.work,
              Map.of("GITHUB_TOKEN", "granted", "LD_PRELOAD", "/evil", "NODE_OPTIONS", "-r evil"),
              Limits.DEFAULT,
              1000,
              LongLine.CUT,
              1000);
      LineProcess child = children.open(spec);
      StringBuilder all = new StringBuilder();
      assertThat(
              catchThrowableOfType(
                  CallFailedException.class,
                  () -> {
                    while (true) {
                      all.append(line(child).text()).append('\n');
                    }
                  }))
          .isNotNull();
      assertThat(all.toString())
          .contains("GITHUB_TOKEN=granted")
          .doesNotContain("LD_PRELOAD", "NODE_OPTIONS");
      LineProcessSpec missing =
          new LineProcessSpec(
              List.of("no-such-program"),
              rig.work,
              Map.of(),
              Limits.DEFAULT,
              1000,
              LongLine.CUT,
              1000);
      assertThat(
              catchThrowableOfType(CallFailedException.class, () -> children.open(missing))
                  .failure()
                  .kind())
          .isEqualTo(FailureKind.PERMANENT);
    }
  }

  @Test
  void placesAreGivenBackAndNoDescriptorIsLost() throws Exception {
    var config =
        new ChildrenConfig(Sandbox.NONE, List.of(), List::of, 2, rig.work, Optional.empty());
    try (Children children = Children.open(config, ChildRig.TIME)) {
      int before = openFiles();
      for (int i = 0; i < 10; i++) {
        LineProcess first = openSoon(children);
        LineProcess second = openSoon(children);
        assertThat(
                catchThrowableOfType(
                        CallFailedException.class, () -> children.open(rig.lines("exec cat")))
                    .failure()
                    .code())
            .isEqualTo(FailureCode.OVERLOADED);
        first.close();
        second.closeInput();
        exitOf(second);
        ChildRig.await(SOON, () -> openFiles() <= before);
      }
    }
  }

  /** Its place is given back a moment after its descriptors. */
  private LineProcess openSoon(Children children) throws Exception {
    long begun = ChildRig.TIME.nanos();
    while (true) {
      try {
        return children.open(rig.lines("exec cat"));
      } catch (CallFailedException e) {
        assertThat(e.failure().code()).isEqualTo(FailureCode.OVERLOADED);
        assertThat(Duration.ofNanos(ChildRig.TIME.nanos() - begun)).isLessThan(SOON);
        ChildRig.TIME.sleep(Duration.ofMillis(10));
      }
    }
  }

  private static int openFiles() {
    return Objects.requireNonNull(new File("/proc/self/fd").list()).length;
  }

  /** A child that runs, and the files that become secrets while it does. */
  private interface SecretChange {
    void make(Path folder, List<Path> secrets) throws Exception;
  }

  private void assertHidden(Sandbox sandbox, boolean expected, SecretChange change)
      throws Exception {
    // Not in /tmp, where a child sees nothing anyway.
    Path base = Files.createTempDirectory(Path.of("/var/tmp"), "holdfast-view-").toRealPath();
    List<Path> secrets = new CopyOnWriteArrayList<>(List.of(base.resolve("keys/key")));
    try (Children children = rig.children(sandbox, () -> secrets)) {
      Path keys = Files.createDirectory(base.resolve("keys"));
      Files.writeString(keys.resolve("key"), "canary");
      Files.writeString(keys.resolve("other"), "other");
      Files.setLastModifiedTime(keys, FileTime.fromMillis(0)); // it is not as new as it looks
      try (LineProcess child = children.open(rig.lines("cat"))) {
        assertThat(child.hidesSecrets()).as("at first").isTrue();
        change.make(base, secrets);
        assertThat(child.hidesSecrets()).isEqualTo(expected);
      }
      try (LineProcess next = children.open(rig.lines("cat"))) {
        assertThat(next.hidesSecrets()).as("the next one").isTrue();
      }
    } finally {
      try (Stream<Path> all = Files.walk(base)) {
        for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(path);
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"BUBBLEWRAP", "NAMESPACES"})
  void aFileThatBecomesSecretIsInTheViewOfAChildThatRuns(Sandbox sandbox) throws Exception {
    assertHidden(sandbox, false, (base, secrets) -> secrets.add(base.resolve("keys/other")));
  }

  @ParameterizedTest
  @EnumSource(names = {"BUBBLEWRAP", "NAMESPACES"})
  void aFolderInThePlaceOfACoveredOneIsInTheViewOfAChildThatRuns(Sandbox sandbox) throws Exception {
    assertHidden(
        sandbox,
        false,
        (base, _) -> {
          Files.createDirectory(base.resolve("new"));
          Files.writeString(base.resolve("new/key"), "canary");
          Files.move(base.resolve("keys"), base.resolve("old"));
          Files.move(base.resolve("new"), base.resolve("keys"));
        });
  }

  @ParameterizedTest
  @EnumSource(names = {"BUBBLEWRAP", "NAMESPACES"})
  void aFolderThatIsMadeAnewIsInTheViewOfAChildThatRuns(Sandbox sandbox) throws Exception {
    assertHidden(
        sandbox,
        false,
        (base, _) -> {
          Files.delete(base.resolve("keys/key"));
          Files.delete(base.resolve("keys/other"));
          Files.delete(base.resolve("keys"));
          Files.createDirectory(base.resolve("keys"));
          Files.writeString(base.resolve("keys/key"), "canary");
        });
  }

  @ParameterizedTest
  @EnumSource(names = {"BUBBLEWRAP", "NAMESPACES"})
  void whereALinkLeadsElsewhereIsInTheViewOfAChildThatRuns(Sandbox sandbox) throws Exception {
    assertHidden(
        sandbox,
        false,
        (base, secrets) -> {
          Files.createDirectory(base.resolve("v2"));
          Files.writeString(base.resolve("v2/key"), "canary");
          Files.move(base.resolve("keys"), base.resolve("v1"));
          Files.createSymbolicLink(base.resolve("keys"), Path.of("v2"));
        });
  }

  @ParameterizedTest
  @EnumSource(names = {"BUBBLEWRAP", "NAMESPACES"})
  void aSecretThatIsSavedAnewInItsFolderStaysHidden(Sandbox sandbox) throws Exception {
    assertHidden(
        sandbox,
        true,
        (base, secrets) -> {
          Files.writeString(base.resolve("keys/.new"), "canary");
          Files.move(
              base.resolve("keys/.new"), base.resolve("keys/key"), StandardCopyOption.ATOMIC_MOVE);
          Files.writeString(base.resolve("keys/beside"), "x");
          Files.delete(base.resolve("keys/other"));
        });
  }

  /** Where nothing is hidden, a new child would see the same. */
  @Test
  void aProcessGroupHidesNothingThatItCouldHideBetter() throws Exception {
    assertHidden(Sandbox.NONE, true, (base, secrets) -> secrets.add(base.resolve("keys/other")));
  }
}
