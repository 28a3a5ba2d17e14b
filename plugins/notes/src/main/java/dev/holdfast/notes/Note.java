package dev.holdfast.notes;

import dev.holdfast.agentkit.ActionRefusedException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The content of a note, cut so that its parts together are the file.
 *
 * @param mark a byte order mark, or nothing
 * @param frontMatter with the lines of hyphens around it; empty when there is none
 * @param text all the rest
 */
record Note(String mark, FrontMatter frontMatter, String text) {
  static final int BYTES_MAX = 1 << 20;
  private static final String BYTE_ORDER_MARK = "\uFEFF";

  static Note of(String content) {
    String mark = content.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : "";
    String rest = content.substring(mark.length());
    FrontMatter frontMatter = FrontMatter.at(rest);
    return new Note(mark, frontMatter, rest.substring(frontMatter.block().length()));
  }

  /** Refused when it is too large or no UTF-8. */
  static Note read(Path file) throws ActionRefusedException, IOException {
    byte[] bytes;
    try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
      bytes = in.readNBytes(BYTES_MAX + 1);
    }
    checkSize(bytes.length);
    try {
      return of(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
    } catch (CharacterCodingException _) {
      throw new ActionRefusedException(ActionRefusedException.UNREADABLE, "The note is not UTF-8.");
    }
  }

  static void checkSize(int bytes) throws ActionRefusedException {
    if (bytes > BYTES_MAX) {
      throw new ActionRefusedException(
          ActionRefusedException.TOO_LARGE, "A note has at most 1 MiB.");
    }
  }

  Note withText(String other) {
    return new Note(mark, frontMatter, other);
  }

  Note withFrontMatter(FrontMatter other) {
    return new Note(mark, other, text);
  }

  String content() {
    return mark + frontMatter.block() + text;
  }

  /** Lines of a text as the others of this note end. */
  String inItsLines(String given) {
    String plain = given.replace("\r\n", "\n");
    return content().contains("\r\n") ? plain.replace("\n", "\r\n") : plain;
  }

  String hash() {
    return hash(content());
  }

  /** SHA-256 in hexadecimal. */
  static String hash(String text) {
    try {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
