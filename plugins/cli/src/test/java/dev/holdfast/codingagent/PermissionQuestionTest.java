package dev.holdfast.codingagent;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PermissionQuestionTest {
  private static String text(PermissionRequest request) {
    return PermissionQuestion.ofAll(request, Path.of("/srv/code"));
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
    assertThat(PermissionQuestion.isCut(request)).isTrue();
    String full = PermissionQuestion.full(request);
    assertThat(full).contains("new: " + "x".repeat(9000), request.hash());
    assertThat(
            PermissionQuestion.ofBeginning(
                request, Path.of("/srv/code"), Path.of("/data/full.txt")))
        .hasSizeLessThan(4000)
        .contains("all %d characters are in the file /data/full.txt".formatted(full.length()));
  }

  @Test
  void aLongTitleIsNotCutWithoutAWord() {
    PermissionRequest request =
        PermissionRequest.of("Bash", "ls" + " ".repeat(300) + "; rm -rf /", Map.of());
    assertThat(PermissionQuestion.isCut(request)).isTrue();
    assertThat(PermissionQuestion.full(request)).contains("; rm -rf /");
  }

  @Test
  void linesOfATextCannotBeTakenForOtherParts() {
    PermissionRequest request =
        PermissionRequest.of(
            "edit",
            "one\ntwo",
            Map.of("content", List.of(Map.of("newText", "a\nkind: read"), "b\nc", List.of())));
    assertThat(text(request))
        .contains(
            """
            ?
            one\\ntwo

            content:
              -
                newText:
                  | a
                  | kind: read
              -
                | b
                | c
              - []

            Fingerprint:""");
  }

  @Test
  void whatReadsTheSameHasAnotherFingerprint() {
    PermissionRequest number = PermissionRequest.of("x", "t", Map.of("n", 5L));
    PermissionRequest text = PermissionRequest.of("x", "t", Map.of("n", "5"));
    assertThat(number.detail()).isEqualTo(text.detail());
    assertThat(text(number)).isNotEqualTo(text(text));
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
