package dev.holdfast.memory;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.config.ConfigFile;
import dev.holdfast.config.LoadedConfig;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SweepConfigTest {
  @ParameterizedTest
  @CsvSource({
    "every_hours,0,1 to 8760",
    "every_hours,99999999999,1 to 8760",
    "min_messages,99999999999,1 to 10000",
    "min_recalls,-1,1 to 1000",
    "min_queries,1001,1 to 1000",
    "max_promotions,-99999999999,0 to 1000"
  })
  void whatIsOutsideItsRangeIsReportedWithIt(String key, String value, String range) {
    LoadedConfig loaded =
        ConfigFile.text("x", "memory: {sweep: {" + key + ": " + value + "}}", Map.of());
    assertThatThrownBy(() -> loaded.make(root -> SweepConfig.from(root.section("memory"))))
        .hasMessageStartingWith("x:1: memory.sweep: " + key + " must be from " + range);
  }
}
