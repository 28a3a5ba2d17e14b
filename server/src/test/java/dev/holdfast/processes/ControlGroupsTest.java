package dev.holdfast.processes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.processes.ProcessSpec.Limits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Against folders that look like the kernel's: which groups a machine offers differs. */
class ControlGroupsTest {
  @TempDir Path mount;

  @Test
  void ofVersionOneThePidsHierarchyIsUsed() throws IOException {
    Path own = Files.createDirectories(mount.resolve("pids/service"));
    ControlGroups groups =
        ControlGroups.find(mount, "8:cpu,pids:/service\n4:memory:/x\n0::/y\n").orElseThrow();
    ControlGroups.Group group = Objects.requireNonNull(groups.make(new Limits(1000, 64, 1)));
    assertThat(group.folders())
        .containsExactly(own.resolve(group.folders().getFirst().getFileName()));
    assertThat(group.folders().getFirst().resolve("pids.max")).hasContent("67");
    assertThat(groups.boundsMemory()).isFalse();
  }

  @Test
  void ofVersionTwoTheParentMustBeHandedOver() throws IOException {
    Files.createDirectories(mount.resolve("holdfast.service/server"));
    String membership = "0::/holdfast.service/server\n";
    assertThat(ControlGroups.find(mount, membership)).isEmpty();
    Path control = mount.resolve("holdfast.service/cgroup.subtree_control");
    Files.writeString(control, "memory pids\n");
    ControlGroups groups = ControlGroups.find(mount, membership).orElseThrow();
    assertThat(groups.boundsMemory()).isTrue();
  }

  @Test
  void ofVersionOneMemoryIsBoundedInAHierarchyOfItsOwn() throws IOException {
    Files.createDirectories(mount.resolve("pids/service"));
    Path own = Files.createDirectories(mount.resolve("memory/service/deep"));
    ControlGroups groups =
        ControlGroups.find(mount, "8:pids:/service\n4:memory:/service/deep\n").orElseThrow();
    assertThat(groups.boundsMemory()).isTrue();
    assertThat(groups.boundsProcesses()).isTrue();
    ControlGroups.Group group = Objects.requireNonNull(groups.make(new Limits(1000, 64, 1)));
    assertThat(group.procs()).hasSize(2);
    Path memory = group.folders().getLast();
    assertThat(memory).hasParent(own);
    assertThat(memory.resolve("memory.max")).hasContent(Integer.toString(1000 + (8 << 20)));
    assertThat(group.ranOutOfMemory()).isFalse();
    Files.writeString(memory.resolve("memory.oom_control"), "under_oom 0\noom_kill 2\n");
    assertThat(group.ranOutOfMemory()).isTrue();
  }

  @Test
  void ofVersionTwoWhatWasDelegatedIsHandedDown() throws IOException {
    Path service = mount.resolve("system/holdfast.service");
    Files.createDirectories(service.resolve("server"));
    Files.writeString(service.resolve("cgroup.controllers"), "cpu memory pids\n");
    Files.writeString(service.resolve("cgroup.subtree_control"), "");
    ControlGroups groups =
        ControlGroups.find(mount, "0::/system/holdfast.service/server\n").orElseThrow();
    assertThat(groups.boundsMemory()).isTrue();
    assertThat(groups.boundsProcesses()).isTrue();
    assertThat(service.resolve("cgroup.subtree_control"))
        .content()
        .containsAnyOf("+pids", "+memory");
  }

  @Test
  void ofVersionTwoTheServerMovesDownInAServiceThatIsItsAlone() throws IOException {
    Path service = Files.createDirectories(mount.resolve("system/holdfast.service"));
    String membership = "0::/system/holdfast.service\n";
    Files.writeString(service.resolve("cgroup.controllers"), "memory pids\n");
    Files.writeString(service.resolve("cgroup.subtree_control"), "");
    long pid = ProcessHandle.current().pid();
    Files.writeString(service.resolve("cgroup.procs"), pid + "\n1\n");
    assertThat(ControlGroups.find(mount, membership)).isEmpty();
    Files.writeString(service.resolve("cgroup.procs"), pid + "\n");
    assertThat(ControlGroups.find(mount, membership).orElseThrow().boundsMemory()).isTrue();
    assertThat(service.resolve("server/cgroup.procs")).hasContent(Long.toString(pid));
  }

  @Test
  void nothingIsFoundWhereThereIsNothing() {
    assertThat(ControlGroups.find(mount, "0::/\n")).isEmpty();
    assertThat(ControlGroups.find(mount, "")).isEmpty();
    assertThat(ControlGroups.find(mount, "8:pids:/../../etc\nnonsense\n")).isEmpty();
  }

  @Test
  void membersAreReadAndLeftOversOfTheDeadRemoved() throws IOException {
    Path base = Files.createDirectories(mount.resolve("pids"));
    Path dead = Files.createDirectory(base.resolve("holdfast-999999999-1"));
    Path alive = Files.createDirectory(base.resolve("holdfast-1-1"));
    Path other = Files.createDirectory(base.resolve("holdfast-x-1"));
    assertThat(ControlGroups.find(mount, "8:pids:/\n")).isPresent();
    assertThat(dead).doesNotExist();
    assertThat(alive).exists();
    assertThat(other).exists();
    Files.writeString(alive.resolve("cgroup.procs"), "12\n13\n");
    assertThat(new ControlGroups.Group(List.of(alive)).members()).containsExactly(12L, 13L);
    assertThat(new ControlGroups.Group(List.of(dead)).members()).isEmpty();
  }
}
