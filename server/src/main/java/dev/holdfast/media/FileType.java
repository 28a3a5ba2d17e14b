package dev.holdfast.media;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** What a file is, by its first bytes; what its sender calls it counts for nothing. */
public enum FileType {
  PNG("image/png", "png"),
  JPEG("image/jpeg", "jpg"),
  GIF("image/gif", "gif"),
  WEBP("image/webp", "webp"),
  PDF("application/pdf", "pdf"),
  ZIP("application/zip", "zip"),
  TEXT("text/plain", "txt"),
  BINARY("application/octet-stream", "bin");

  private static final int LOOKED_AT = 64 * 1024;

  private final String mediaType;
  private final String extension;

  FileType(String mediaType, String extension) {
    this.mediaType = mediaType;
    this.extension = extension;
  }

  public String mediaType() {
    return mediaType;
  }

  /** Without a dot. */
  public String extension() {
    return extension;
  }

  /** Whether models that see can see it, and browsers show it. */
  public boolean isImage() {
    return switch (this) {
      case PNG, JPEG, GIF, WEBP -> true;
      case PDF, ZIP, TEXT, BINARY -> false;
    };
  }

  static FileType of(byte[] bytes) {
    if (starts(bytes, 0, "\u0089PNG\r\n\u001a\n")) {
      return PNG;
    }
    if (starts(bytes, 0, "\u00ff\u00d8\u00ff")) {
      return JPEG;
    }
    if (starts(bytes, 0, "GIF87a") || starts(bytes, 0, "GIF89a")) {
      return GIF;
    }
    if (starts(bytes, 0, "RIFF") && starts(bytes, 8, "WEBP")) {
      return WEBP;
    }
    if (starts(bytes, 0, "%PDF-")) {
      return PDF;
    }
    if (starts(bytes, 0, "PK\u0003\u0004")) {
      return ZIP;
    }
    return isText(bytes) ? TEXT : BINARY;
  }

  /** {@code latin}: one character a byte. */
  static boolean starts(byte[] bytes, int at, String latin) {
    byte[] wanted = latin.getBytes(StandardCharsets.ISO_8859_1);
    return bytes.length >= at + wanted.length
        && Arrays.equals(bytes, at, at + wanted.length, wanted, 0, wanted.length);
  }

  /** UTF-8 without what no text has in it; the beginning stands for the whole. */
  private static boolean isText(byte[] bytes) {
    int length = Math.min(bytes.length, LOOKED_AT);
    CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
    CharBuffer text = CharBuffer.allocate(length + 1);
    // Not the end of the input: the last character may have been cut in two.
    CoderResult result = decoder.decode(ByteBuffer.wrap(bytes, 0, length), text, false);
    if (result.isError()) {
      return false;
    }
    text.flip();
    return text.chars().noneMatch(c -> c < ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\f');
  }
}
