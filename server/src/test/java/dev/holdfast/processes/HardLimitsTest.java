package dev.holdfast.processes;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class HardLimitsTest {
  @Test
  void aChildGetsNoMoreThanTheServerHas() {
    HardLimits limits = new HardLimits(Map.of("Max open files", 120L));
    assertThat(limits.atMost("Max open files", 1024)).isEqualTo(120);
    assertThat(limits.atMost("Max open files", 10)).isEqualTo(10);
    assertThat(limits.atMost("Max file size", 7)).isEqualTo(7);
  }

  @Test
  void theServersOwnAreRead() {
    assertThat(HardLimits.own().byName()).containsKey("Max open files");
  }
}
