package dev.holdfast.matrix;

import dev.holdfast.api.Markup;
import dev.holdfast.api.PluginContext;
import dev.holdfast.kit.JsonText;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What the account's events say. None of them calls anybody: {@code m.mentions} is there and empty.
 */
final class MatrixContent {
  /**
   * In UTF-16 units of Markdown. An event may have 65,536 bytes, and one that is edited says
   * everything four times: as text and as HTML, for clients that know edits and for others.
   */
  static final int UNITS_MAX = 4000;

  /** Marks what this server writes: readers of its kind take it for a program's. */
  static final String REPLY = "dev.holdfast.reply";

  /** What a content may have: the homeserver adds ids, hashes and signatures. */
  private static final int BYTES_MAX = 58_000;

  /** Of a text that is there for clients that know no edits. */
  private static final int FALLBACK_UNITS_MAX = 200;

  private static final String RELATES = "m.relates_to";
  private static final String BODY = "body";
  private static final String FORMAT = "format";
  private static final String HTML = "formatted_body";
  private static final String EVENT = "event_id";

  private MatrixContent() {}

  /**
   * A text in both of its forms.
   *
   * @param html empty when there is none
   */
  record Words(String text, String html) {
    static Words of(String markdown, PluginContext context) {
      return new Words(markdown, context.rendered(markdown, Markup.MATRIX_HTML));
    }

    /** What an answer says so far, and below it what is being done. */
    static Words ofDraft(String markdown, String activity, PluginContext context) {
      String line = activity.replace('\n', ' ').strip();
      if (line.isEmpty()) {
        return of(markdown, context);
      }
      String html = "<p><em>" + escaped(line) + "</em></p>";
      return markdown.isBlank()
          ? new Words(line, html)
          : new Words(
              markdown + "\n\n" + line, context.rendered(markdown, Markup.MATRIX_HTML) + html);
    }

    boolean isBlank() {
      return text.isBlank();
    }
  }

  static String escaped(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }

  /** What a program says of itself: no other program answers it. */
  static Map<String, Object> notice(String text) {
    Map<String, Object> content = new LinkedHashMap<>();
    content.put("msgtype", "m.notice");
    content.put(BODY, text);
    content.put("m.mentions", Map.of());
    return content;
  }

  /**
   * A message.
   *
   * @param id of the reply; empty for a draft
   * @param answers the event that it answers; empty when it names none
   */
  static Map<String, Object> message(Words words, String id, MatrixPlace to, String answers) {
    Map<String, Object> content = said(words, id);
    relate(content, to, answers);
    if (bytes(content) > BYTES_MAX) {
      content.remove(FORMAT);
      content.remove(HTML);
    }
    return content;
  }

  private static Map<String, Object> said(Words words, String id) {
    Map<String, Object> content = new LinkedHashMap<>();
    content.put("msgtype", "m.text");
    content.put(BODY, words.text());
    if (!words.html().isEmpty()) {
      content.put(FORMAT, "org.matrix.custom.html");
      content.put(HTML, words.html());
    }
    content.put("m.mentions", Map.of());
    content.put(REPLY, id);
    return content;
  }

  /** What takes the place of an earlier message. */
  static Map<String, Object> edit(Words words, String id, String event) {
    Map<String, Object> inner = said(words, id);
    Map<String, Object> content = said(new Words("* " + words.text(), ""), id);
    if (!words.html().isEmpty()) {
      content.put(FORMAT, inner.get(FORMAT));
      content.put(HTML, "* " + words.html());
    }
    content.put("m.new_content", inner);
    content.put(RELATES, Map.of("rel_type", "m.replace", EVENT, event));
    if (bytes(content) > BYTES_MAX) {
      content.remove(FORMAT);
      content.remove(HTML);
      content.put(BODY, "* " + beginning(words.text()));
    }
    if (bytes(content) > BYTES_MAX) {
      inner.remove(FORMAT);
      inner.remove(HTML);
    }
    return content;
  }

  private static String beginning(String text) {
    int end = Math.min(text.length(), FALLBACK_UNITS_MAX);
    boolean isInPair = end < text.length() && Character.isHighSurrogate(text.charAt(end - 1));
    return text.substring(0, isInPair ? end - 1 : end) + (end < text.length() ? "…" : "");
  }

  /**
   * A file that lies on the homeserver.
   *
   * @param address as {@code mxc://...}
   */
  static Map<String, Object> file(
      String name, String mediaType, long bytes, String address, String id, MatrixPlace to) {
    Map<String, Object> content = new LinkedHashMap<>();
    content.put("msgtype", fileType(mediaType));
    content.put(BODY, name);
    content.put("filename", name);
    content.put("url", address);
    content.put("info", Map.of("mimetype", mediaType, "size", bytes));
    content.put("m.mentions", Map.of());
    content.put(REPLY, id);
    relate(content, to, "");
    return content;
  }

  private static String fileType(String mediaType) {
    int slash = mediaType.indexOf('/');
    return switch (slash < 0 ? "" : mediaType.substring(0, slash)) {
      case "image" -> "m.image";
      case "audio" -> "m.audio";
      case "video" -> "m.video";
      default -> "m.file";
    };
  }

  private static void relate(Map<String, Object> content, MatrixPlace to, String answers) {
    Map<String, Object> relation = new LinkedHashMap<>();
    if (!to.root().isEmpty()) {
      relation.put("rel_type", "m.thread");
      relation.put(EVENT, to.root());
      // For clients without threads, which show an answer in its place.
      relation.put("is_falling_back", true);
      relation.put("m.in_reply_to", Map.of(EVENT, answers.isEmpty() ? to.root() : answers));
    } else if (!answers.isEmpty()) {
      relation.put("m.in_reply_to", Map.of(EVENT, answers));
    }
    if (!relation.isEmpty()) {
      content.put(RELATES, relation);
    }
  }

  private static int bytes(Map<String, Object> content) {
    return JsonText.write(content).getBytes(StandardCharsets.UTF_8).length;
  }
}
