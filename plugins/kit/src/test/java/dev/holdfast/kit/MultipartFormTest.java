package dev.holdfast.kit;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class MultipartFormTest {
  @Test
  void fieldsAndFilesStandBetweenBoundaries() {
    MultipartForm form =
        new MultipartForm()
            .field("chat", "7")
            .file("doc", "a.txt", "text/plain", "x".getBytes(StandardCharsets.UTF_8));
    String boundary = "--" + form.contentType().substring(form.contentType().indexOf('=') + 1);
    assertThat(new String(form.bytes(), StandardCharsets.UTF_8))
        .isEqualTo(
            boundary
                + "\r\nContent-Disposition: form-data; name=\"chat\"\r\n\r\n7\r\n"
                + boundary
                + "\r\nContent-Disposition: form-data; name=\"doc\"; filename=\"a.txt\"\r\n"
                + "Content-Type: text/plain\r\n\r\nx\r\n"
                + boundary
                + "--\r\n");
  }

  @Test
  void aFilesNameEndsNoHeader() {
    MultipartForm form =
        new MultipartForm()
            .file("doc", "a\"\r\nX-Evil: 1\\.txt", "text/plain\r\nX-Evil: 1", new byte[0]);
    assertThat(new String(form.bytes(), StandardCharsets.UTF_8))
        .contains("filename=\"a___X-Evil: 1_.txt\"")
        .doesNotContain("\nX-Evil");
  }
}
