package dev.holdfast.kit;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/** The body of a request of type {@code multipart/form-data} (RFC 7578). For one thread. */
public final class MultipartForm {
  private final String boundary = "holdfast-" + UUID.randomUUID();
  private final ByteArrayOutputStream body = new ByteArrayOutputStream();

  public MultipartForm field(String name, String value) {
    head(name, "");
    body.writeBytes(value.getBytes(StandardCharsets.UTF_8));
    write("\r\n");
    return this;
  }

  /**
   * Adds a file.
   *
   * @param fileName for people; what would end the header that it stands in is replaced
   */
  public MultipartForm file(String name, String fileName, String mediaType, byte[] content) {
    head(
        name,
        "; filename=\""
            + fileName.replaceAll("[\\p{Cntrl}\"\\\\]", "_")
            + "\"\r\nContent-Type: "
            + mediaType.replaceAll("[^A-Za-z0-9!#$&^_.+/-]", "_"));
    body.writeBytes(content);
    write("\r\n");
    return this;
  }

  public String contentType() {
    return "multipart/form-data; boundary=" + boundary;
  }

  /** All of it, closed. */
  public byte[] bytes() {
    ByteArrayOutputStream whole = new ByteArrayOutputStream(body.size() + boundary.length() + 8);
    whole.writeBytes(body.toByteArray());
    whole.writeBytes(("--" + boundary + "--\r\n").getBytes(StandardCharsets.UTF_8));
    return whole.toByteArray();
  }

  private void head(String name, String more) {
    write("--" + boundary + "\r\nContent-Disposition: form-data; name=\"" + name + "\"" + more);
    write("\r\n\r\n");
  }

  private void write(String text) {
    body.writeBytes(text.getBytes(StandardCharsets.UTF_8));
  }
}
