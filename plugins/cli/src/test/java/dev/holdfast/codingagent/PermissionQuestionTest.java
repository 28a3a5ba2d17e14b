package dev.holdfast.codingagent;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PermissionQuestionTest {
  private static String text(PermissionRequest request) {
    return PermissionQuestion.of(request, Path.of("/srv/code"), Path.of("/data/full.json"));
  }

  @Test
  void whatNobodyWouldSeeIsShown() {
    PermissionRequest request =
        PermissionRequest.of("Bash", "run", Map.of("command", "rm -rf a\u202eb\u200b"));
    assertThat(text(request)).contains("rm -rf a\\u{202e}b\\u{200b}", "/srv/code");
  }

  @Test
  void whatIsTooLongSaysSoAndWhereTheRestIs() {
    PermissionRequest request =
        PermissionRequest.of("Edit", "edit", Map.of("new", "x".repeat(9000)));
    assertThat(text(request))
        .hasSizeLessThan(4000)
        .contains("all 9005 characters are in the file /data/full.json");
  }

  @Test
  void theSameRequestHasTheSameHashInAnyOrderAndAnotherHasAnother() {
    Map<String, Object> one = new LinkedHashMap<>();
    one.put("a", 1L);
    one.put("b", "x");
    Map<String, Object> turned = new LinkedHashMap<>();
    turned.put("b", "x");
    turned.put("a", 1L);
    String hash = PermissionRequest.of("Bash", "t", one).hash();
    assertThat(PermissionRequest.of("Bash", "other title", turned).hash()).isEqualTo(hash);
    assertThat(PermissionRequest.of("Edit", "t", one).hash()).isNotEqualTo(hash);
    turned.put("b", "x ");
    assertThat(PermissionRequest.of("Bash", "t", turned).hash()).isNotEqualTo(hash);
  }
}
