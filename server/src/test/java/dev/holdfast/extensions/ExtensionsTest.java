package dev.holdfast.extensions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.holdfast.time.TimedWait;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ExtensionsTest extends ExtensionCase {
  @Test
  void aChangeStartsStopsAndRestartsOnlyWhatChanged() throws Exception {
    List<String> _ =
        rig.declare(
            ExtensionRig.server("kept"),
            ExtensionRig.server("changed"),
            ExtensionRig.server("removed"));
    for (String id : List.of("kept", "changed", "removed")) {
      rig.await(id, ExtensionState.READY);
    }
    List<String> _ =
        rig.declare(
            ExtensionRig.server("kept"),
            ExtensionRig.server("changed", "pages"),
            ExtensionRig.server("added"));
    assertThat(rig.offered()).noneMatch(tool -> tool.startsWith("removed_"));
    assertThat(rig.extensions().view("removed")).isEmpty();
    for (String id : List.of("kept", "changed", "added")) {
      rig.await(id, ExtensionState.READY);
      assertThat(rig.call(id + "_echo").isError()).isFalse();
    }
    assertThat(rig.starts("kept")).isOne();
    assertThat(rig.starts("changed")).isEqualTo(2);
    assertThat(rig.meters.find("holdfast.extension.up").tag("id", "removed").gauge()).isNull();
    assertThat(rig.meters.find("holdfast.extension.up").tag("id", "kept").gauge()).isNotNull();
    assertThat(rig.guards.breakers()).noneMatch(view -> view.name().equals("ext:removed"));
  }

  @Test
  void anIdOfAnotherSourceIsLeftAloneAndNamed() throws Exception {
    List<String> _ = rig.declare(ExtensionRig.server("demo"));
    List<ExtensionConfig> others =
        ExtensionRig.parsed(ExtensionRig.server("demo", "pages"), ExtensionRig.server("other"));
    assertThat(rig.extensions().replaceAll("plugin-x", others)).containsExactly("demo");
    rig.await("other", ExtensionState.READY);
    assertThat(rig.extensions().views())
        .extracting(ExtensionView::id, ExtensionView::source)
        .containsExactly(tuple("demo", "configuration"), tuple("other", "plugin-x"));
    assertThat(rig.extensions().replaceAll("plugin-x", List.of())).isEmpty();
    assertThat(rig.extensions().views()).extracting(ExtensionView::id).containsExactly("demo");
  }

  @Test
  void whenTheyAreClosedNothingOfThemRunsAndNothingIsTaken() throws Exception {
    rig.serve(ExtensionRig.server("demo"));
    rig.extensions().close();
    assertThat(rig.offered()).isEmpty();
    assertThat(rig.declare(ExtensionRig.server("demo"))).isEmpty();
    assertThat(rig.extensions().views()).isEmpty();
  }

  @Test
  void oneThatHangsDelaysNoOther() throws Exception {
    List<String> _ = rig.declare(ExtensionRig.server("stuck"), ExtensionRig.server("well"));
    rig.await("stuck", ExtensionState.READY);
    rig.await("well", ExtensionState.READY);
    Thread waiting =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    rig.call("stuck_hang");
                  } catch (InterruptedException _) {
                    Thread.currentThread().interrupt();
                  }
                });
    Path hanging = rig.folder.resolve("stuck/files/hanging");
    TimedWait.until("the server has it", () -> Files.exists(hanging));
    for (int i = 0; i < 50; i++) {
      assertThat(rig.call("well_echo").isError()).isFalse();
    }
    assertThat(waiting.isAlive()).isTrue();
    waiting.interrupt();
    waiting.join();
  }
}
