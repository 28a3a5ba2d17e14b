package dev.holdfast.processes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.processes.ProcessSpec.Limits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
    assertThat(group.folder()).hasParent(own);
    assertThat(group.folder().resolve("pids.max")).hasContent("67");
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
    assertThat(new ControlGroups.Group(alive).members()).containsExactly(12L, 13L);
    assertThat(new ControlGroups.Group(dead).members()).isEmpty();
  }
}
