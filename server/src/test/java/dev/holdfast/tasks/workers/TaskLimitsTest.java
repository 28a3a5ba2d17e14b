package dev.holdfast.tasks.workers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.config.ConfigException;
import dev.holdfast.config.ConfigFile;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TaskLimitsTest {
  private static TaskLimits read(String text) throws ConfigException {
    return ConfigFile.text("holdfast.yaml", text, Map.of())
        .make(root -> root.section("tasks").read(TaskLimits::from));
  }

  @Test
  void sixteenRunAndTenThousandAreOpenUnlessTheFileSaysOtherwise() throws ConfigException {
    assertThat(read("{}")).isEqualTo(new TaskLimits(16, 10_000));
    assertThat(read("tasks: {max_running: 2}")).isEqualTo(new TaskLimits(2, 10_000));
  }

  @Test
  void whatIsOutOfRangeIsRefused() {
    assertThat(
            catchThrowableOfType(
                    ConfigException.class, () -> read("tasks: {max_running: 0, max_open: 1000001}"))
                .problems())
        .hasSize(2);
  }
}
