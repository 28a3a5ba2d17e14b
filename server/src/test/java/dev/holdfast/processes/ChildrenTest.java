package dev.holdfast.processes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.processes.Children.Isolation;
import dev.holdfast.processes.ChildrenConfig.Sandbox;
import dev.holdfast.processes.ProcessSpec.Limits;
import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ChildrenTest extends ChildCase {
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
  void outputErrorsAndExitCodeComeApart(Sandbox sandbox) throws Exception {
    try (Children children = rig.children(sandbox)) {
      ChildResult result = children.run(rig.shell("echo out; echo err >&2; pwd; exit 7"));
      assertThat(result.exitCode()).isEqualTo(7);
      assertThat(result.output()).isEqualTo("out\n" + rig.work + "\n");
      assertThat(result.errors()).isEqualTo("err\n");
      assertThat(result.truncated()).isFalse();
      assertThat(result.timedOut()).isFalse();
      assertThat(result.outputBytes()).isEqualTo(8L + rig.work.toString().length() + 1);
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
  void aSignalIsAnExitCodeAbove128(Sandbox sandbox) throws Exception {
    try (Children children = rig.children(sandbox)) {
      assertThat(children.run(rig.shell("kill -SEGV $$")).exitCode()).isEqualTo(128 + 11);
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
  void inputIsGivenAndThenClosed(Sandbox sandbox) throws Exception {
    try (Children children = rig.children(sandbox)) {
      ProcessSpec spec =
          new ProcessSpec(
              List.of("wc", "-c"),
              rig.work,
              Map.of(),
              "x".repeat(300_000),
              Duration.ofSeconds(30),
              Limits.DEFAULT,
              1000);
      assertThat(children.run(spec).output().strip()).isEqualTo("300000");
      assertThat(children.run(rig.shell("cat; echo end")).output()).isEqualTo("end\n");
    }
  }

  @Test
  void inputThatNobodyReadsHoldsNothingUp() throws Exception {
    try (Children children = rig.children(Sandbox.AUTO)) {
      ProcessSpec spec =
          new ProcessSpec(
              List.of("true"),
              rig.work,
              Map.of(),
              "x".repeat(300_000),
              Duration.ofSeconds(30),
              Limits.DEFAULT,
              1000);
      assertThat(children.run(spec).exitCode()).isZero();
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
  void anInterruptEndsTheChild(Sandbox sandbox) throws Exception {
    try (Children children = rig.children(sandbox)) {
      Thread caller =
          Thread.ofVirtual()
              .start(
                  () ->
                      assertThatThrownBy(() -> children.run(rig.shell(rig.sleeper())))
                          .isInstanceOf(InterruptedException.class));
      ChildRig.await(Duration.ofSeconds(20), () -> rig.alive() > 0);
      caller.interrupt();
      assertThat(caller.join(Duration.ofSeconds(4))).isTrue();
      assertThat(rig.alive()).isZero();
    }
  }

  @Test
  void closeEndsAllChildrenAndRefusesMore() throws Exception {
    Children children = rig.children(Sandbox.AUTO);
    for (int i = 0; i < 3; i++) {
      Thread.ofVirtual().start(() -> runQuietly(children));
    }
    ChildRig.await(Duration.ofSeconds(20), () -> rig.alive() == 3);
    children.close();
    ChildRig.await(Duration.ofSeconds(2), () -> rig.alive() == 0);
    assertThatThrownBy(() -> children.run(rig.shell("true")))
        .isInstanceOf(CallFailedException.class);
  }

  private void runQuietly(Children children) {
    try {
      children.run(rig.shell(rig.sleeper()));
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } catch (CallFailedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aMissingCommandOrFolderIsPermanent() throws Exception {
    try (Children children = rig.children(Sandbox.AUTO)) {
      for (ProcessSpec spec :
          List.of(
              command("no-such-program"),
              command("./relative"),
              rig.shell("true").in(Path.of("/no/such/folder")))) {
        assertThatThrownBy(() -> children.run(spec))
            .isInstanceOfSatisfying(
                CallFailedException.class,
                e -> assertThat(e.failure().kind()).isEqualTo(FailureKind.PERMANENT));
      }
    }
  }

  @Test
  void aFolderThatHoldsTheHiddenOneIsRefused() throws Exception {
    try (Children children = rig.children(Sandbox.AUTO)) {
      assertThatThrownBy(() -> children.run(rig.shell("true").in(rig.data)))
          .isInstanceOf(CallFailedException.class)
          .hasMessageContaining("must not see");
    }
  }

  @Test
  void argumentsAreNotTouchedByAnyShell() throws Exception {
    try (Children children = rig.children(Sandbox.AUTO)) {
      ProcessSpec spec =
          new ProcessSpec(
              List.of(
                  "printf", "%s|", "; id", "$(id)", "`id`", "a\nb", "*", "$HOME", "--", "-n", ""),
              rig.work,
              Map.of(),
              "",
              Duration.ofSeconds(20),
              Limits.DEFAULT,
              1000);
      assertThat(children.run(spec).output()).isEqualTo("; id|$(id)|`id`|a\nb|*|$HOME|--|-n||");
    }
  }

  @Test
  void whatIsTooManyWaitsAndThenIsRefused() throws Exception {
    var config =
        new ChildrenConfig(Sandbox.NONE, List.of(), List::of, 1, rig.work, Optional.empty());
    try (Children children = Children.open(config, ChildRig.TIME)) {
      Thread first = Thread.ofVirtual().start(() -> runQuietly(children));
      ChildRig.await(Duration.ofSeconds(20), () -> rig.alive() == 1);
      assertThatThrownBy(() -> children.run(rig.shell("true", Duration.ofMillis(200))))
          .isInstanceOfSatisfying(
              CallFailedException.class,
              e -> assertThat(e.failure().code()).isEqualTo(FailureCode.OVERLOADED));
      first.interrupt();
      assertThat(children.run(rig.shell("true")).exitCode()).isZero();
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
  void nothingLeaks(Sandbox sandbox) throws Exception {
    try (Children children = rig.children(sandbox)) {
      children.run(rig.shell("true"));
      int before = openFiles();
      for (int i = 0; i < 10; i++) {
        ChildResult result = children.run(rig.shell("echo /proc/self/fd/*"));
        // The shell itself holds the folder that it lists.
        assertThat(result.output())
            .matches("/proc/self/fd/0 /proc/self/fd/1 /proc/self/fd/2( /proc/self/fd/[0-9]+)?\n");
      }
      ChildRig.await(Duration.ofSeconds(2), () -> openFiles() <= before);
      assertThat(ProcessHandle.current().children()).isEmpty();
    }
  }

  @Test
  void theStrongestThatWorksIsDescribed() throws Exception {
    try (Children children = rig.children(Sandbox.AUTO)) {
      String beginning =
          switch (children.isolation()) {
            case BUBBLEWRAP -> "bubblewrap: ";
            case NAMESPACES -> "namespaces ";
            case PROCESS_GROUP -> "process group: ";
          };
      assertThat(children.describe()).startsWith(beginning).contains("\nnumber of", "\nmemory: ");
    }
    try (Children children = rig.children(Sandbox.NONE)) {
      assertThat(children.isolation()).isEqualTo(Isolation.PROCESS_GROUP);
    }
  }

  private ProcessSpec command(String name) {
    return new ProcessSpec(
        List.of(name), rig.work, Map.of(), "", Duration.ofSeconds(20), Limits.DEFAULT, 1000);
  }

  private static int openFiles() {
    return Objects.requireNonNull(new File("/proc/self/fd").list()).length;
  }
}
