package dev.holdfast.nats;

import io.nats.client.support.IncomingHeadersProcessor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Replaces, in what nats-server sends, the headers that the library must not see. Nats-server
 * stores whatever bytes a publisher calls headers. Those that the library cannot parse end its
 * reader, and a status line makes it take a stored message for a notice of nats-server. Either way
 * nobody would acknowledge the message, and no other would be delivered. For one thread.
 *
 * <p>Source: the client protocol of NATS.
 */
final class HeaderFilter {
  /** Marks a message whose headers were replaced. */
  static final String REPLACED = "Holdfast-Replaced";

  private static final byte[] REPLACEMENT =
      ("NATS/1.0\r\n" + REPLACED + ": headers\r\n\r\n").getBytes(StandardCharsets.US_ASCII);
  private static final String LINE_END = "\r\n";

  /** Of the words before a message; there may be no such word, or an empty one. */
  private static final int REPLY_WORD = 3;

  private static final int WORDS_WITH_REPLY = 6;

  private enum Part {
    LINE,
    HEADERS,
    BODY
  }

  private final ByteArrayOutputStream line = new ByteArrayOutputStream();
  private final ByteArrayOutputStream headers = new ByteArrayOutputStream();
  private Part part = Part.LINE;

  /** Bytes of the headers or the body that are still to come. */
  private int left;

  /**
   * Returns what the library may see, of what was held back and of what has come. Lines and headers
   * are held back until they are complete.
   *
   * @throws IOException when it is not the protocol of NATS
   */
  byte[] filter(byte[] bytes, int offset, int count) throws IOException {
    ByteBuffer come = ByteBuffer.wrap(bytes, offset, count);
    ByteArrayOutputStream passed = new ByteArrayOutputStream(count);
    while (come.hasRemaining()) {
      switch (part) {
        case LINE -> {
          byte next = come.get();
          line.write(next);
          if (next == '\n') {
            endLine(passed);
          }
        }
        case HEADERS -> {
          move(come, headers);
          if (left == 0) {
            endHeaders(passed);
          }
        }
        case BODY -> {
          move(come, passed);
          if (left == 0) {
            part = Part.LINE;
          }
        }
      }
    }
    return passed.toByteArray();
  }

  private void move(ByteBuffer from, ByteArrayOutputStream to) {
    byte[] moved = new byte[Math.min(left, from.remaining())];
    from.get(moved);
    to.writeBytes(moved);
    left -= moved.length;
  }

  private void endLine(ByteArrayOutputStream passed) throws IOException {
    String[] words = words();
    switch (words[0]) {
      case "HMSG" -> {
        left = number(words, words.length - 2);
        part = Part.HEADERS;
      }
      case "MSG" -> {
        left = number(words, words.length - 1) + LINE_END.length();
        part = Part.BODY;
        pass(line, passed);
      }
      default -> pass(line, passed);
    }
  }

  private void endHeaders(ByteArrayOutputStream passed) throws IOException {
    String[] words = words();
    int bodyBytes = number(words, words.length - 1) - headers.size();
    boolean hasReply = words.length == WORDS_WITH_REPLY && !words[REPLY_WORD].isEmpty();
    if (isReadable(headers.toByteArray(), hasReply)) {
      pass(line, passed);
      pass(headers, passed);
    } else {
      words[words.length - 2] = Integer.toString(REPLACEMENT.length);
      words[words.length - 1] = Integer.toString(REPLACEMENT.length + bodyBytes);
      passed.writeBytes((String.join(" ", words) + LINE_END).getBytes(StandardCharsets.ISO_8859_1));
      passed.writeBytes(REPLACEMENT);
      line.reset();
      headers.reset();
    }
    left = bodyBytes + LINE_END.length();
    part = Part.BODY;
  }

  private String[] words() {
    return line.toString(StandardCharsets.ISO_8859_1).stripTrailing().split(" ", -1);
  }

  private static int number(String[] words, int at) throws IOException {
    try {
      return Integer.parseInt(words[at]);
    } catch (IndexOutOfBoundsException | NumberFormatException e) {
      throw new IOException("NATS sends a message without its length", e);
    }
  }

  private static void pass(ByteArrayOutputStream held, ByteArrayOutputStream passed) {
    passed.writeBytes(held.toByteArray());
    held.reset();
  }

  /**
   * Whether the library reads them as they are meant.
   *
   * @param hasReply as each stored message has, for its acknowledgement; a notice of nats-server
   *     about a pull has none
   */
  private static boolean isReadable(byte[] block, boolean hasReply) {
    try {
      return new IncomingHeadersProcessor(block).getStatus() == null || !hasReply;
    } catch (IllegalArgumentException | IndexOutOfBoundsException _) {
      return false;
    }
  }
}
