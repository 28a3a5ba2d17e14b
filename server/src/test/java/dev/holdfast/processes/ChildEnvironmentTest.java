package dev.holdfast.processes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.processes.ChildrenConfig.Sandbox;
import dev.holdfast.processes.ProcessSpec.Limits;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ChildEnvironmentTest {
  @TempDir Path temporary;

  @Test
  void onlyLanguageAndZoneComeFromTheServer() {
    Map<String, String> server =
        Map.of("LANG", "de_DE.UTF-8", "TZ", "Europe/Berlin", "API_KEY", "s", "HOME", "/root");
    assertThat(ChildEnvironment.of(Map.of("A", "b"), server, "/bin", "/w"))
        .isEqualTo(
            Map.of(
                "LANG",
                "de_DE.UTF-8",
                "TZ",
                "Europe/Berlin",
                "HOME",
                "/w",
                "PATH",
                "/bin",
                "A",
                "b"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "LD_PRELOAD",
        "LD_LIBRARY_PATH",
        "LD_AUDIT",
        "NODE_OPTIONS",
        "BASH_ENV",
        "ENV",
        "PYTHONPATH",
        "PYTHONSTARTUP",
        "JAVA_TOOL_OPTIONS",
        "PERL5OPT",
        "GIT_SSH_COMMAND",
        "BASH_FUNC_ls%%",
        "PATH",
        "ld_preload",
        "A B",
        "A=B",
        "",
        "1A"
      })
  void whatMakesProgramsRunSomethingElseIsDropped(String name) {
    assertThat(ChildEnvironment.of(Map.of(name, "evil"), Map.of(), "/bin", "/w"))
        .isEqualTo(Map.of("LANG", "C.UTF-8", "HOME", "/w", "PATH", "/bin"));
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
  void aChildSeesNothingElse(Sandbox sandbox) throws Exception {
    ChildRig rig = new ChildRig(temporary);
    try (Children children = rig.children(sandbox)) {
      Map<String, String> asked = Map.of("LD_PRELOAD", "/evil.so", "GREETING", "hello");
      ProcessSpec spec =
          new ProcessSpec(
              List.of("env"), rig.work, asked, "", Duration.ofSeconds(20), Limits.DEFAULT, 10_000);
      ChildResult result = children.run(spec);
      assertThat(result.errors()).isEmpty();
      assertThat(result.output().lines().map(line -> line.replaceAll("=.*", "")))
          .contains("GREETING", "HOME", "PATH", "LANG")
          .isSubsetOf(
              "GREETING",
              "HOME",
              "PATH",
              "LANG",
              "TZ",
              "PWD",
              "OLDPWD",
              "SHLVL",
              "_",
              "HOLDFAST_CHILD");
    }
  }
}
