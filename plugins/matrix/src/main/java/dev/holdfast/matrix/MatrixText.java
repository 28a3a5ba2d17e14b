package dev.holdfast.matrix;

import dev.holdfast.kit.JsonText;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a message says, without what its client has put around it. Linear in the text. */
final class MatrixText {
  /** What a client shows as a mention: a link to a person, and its text. */
  private static final Pattern LINK =
      Pattern.compile(
          "<a [^<>]{0,100}?href=[\"']https://matrix\\.to/#/([^\"'<>?]{1,600})[^\"'<>]{0,600}[\"']"
              + "[^<>]{0,200}>([^<>]{0,300})</a>");

  private MatrixText() {}

  /** Without the quotation of what it answers, which old clients put before a text. */
  static String withoutQuotation(String body) {
    if (!body.startsWith("> <@") && !body.startsWith("> * <@")) {
      return body;
    }
    int at = 0;
    while (at < body.length() && body.startsWith(">", at)) {
      int newline = body.indexOf('\n', at);
      at = newline < 0 ? body.length() : newline + 1;
    }
    return body.substring(at).strip();
  }

  private static String withoutQuotedHtml(String html) {
    int end = html.startsWith("<mx-reply>") ? html.indexOf("</mx-reply>") : -1;
    return end < 0 ? html : html.substring(end + "</mx-reply>".length());
  }

  /**
   * Whether it names the user, by its id: in {@code m.mentions}, in the text, or, from a client
   * that knows no {@code m.mentions}, in a link. A display name is nothing.
   *
   * @param body without a quotation
   */
  static boolean mentions(Map<String, Object> content, String body, String user) {
    Object mentioned = JsonText.map(content, "m.mentions").get("user_ids");
    if (mentioned instanceof List<?> users && users.contains(user)) {
      return true;
    }
    boolean isOld = !content.containsKey("m.mentions");
    return names(body, user)
        || (isOld && !firstLabel(content, user, html(content).length()).isEmpty());
  }

  /** Whether the whole id stands there: no longer one begins or ends with it. */
  private static boolean names(String body, String user) {
    for (int at = body.indexOf(user); at >= 0; at = body.indexOf(user, at + 1)) {
      int end = at + user.length();
      boolean isCutBefore = at > 0 && isOfId(body.charAt(at - 1));
      boolean isCutBehind =
          end < body.length()
              && (isOfServer(body.charAt(end))
                  || (".:".indexOf(body.charAt(end)) >= 0
                      && end + 1 < body.length()
                      && isOfServer(body.charAt(end + 1))));
      if (!isCutBefore && !isCutBehind) {
        return true;
      }
    }
    return false;
  }

  private static boolean isOfId(char unit) {
    return isOfServer(unit) || unit == '@' || unit == '_';
  }

  private static boolean isOfServer(char unit) {
    return Character.isLetterOrDigit(unit) || unit == '-';
  }

  private static String html(Map<String, Object> content) {
    return withoutQuotedHtml(JsonText.text(content, "formatted_body"));
  }

  /** The text of the first link to the user that begins within so many units; empty if none. */
  private static String firstLabel(Map<String, Object> content, String user, int within) {
    String html = html(content);
    Matcher links = LINK.matcher(html);
    while (links.find() && links.start() <= within) {
      if (decoded(links.group(1)).equals(user)) {
        return plain(links.group(2));
      }
    }
    return "";
  }

  private static String decoded(String escaped) {
    try {
      return URLDecoder.decode(escaped.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException _) {
      return "";
    }
  }

  private static String plain(String html) {
    return html.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&#39;", "'")
        .replace("&amp;", "&")
        .strip();
  }

  /**
   * Without the name of the user at its beginning: what is left is what the user is told.
   *
   * @param body as {@link #mentions} takes it, of a message that mentions the user
   */
  static String withoutName(Map<String, Object> content, String body, String user) {
    int paragraph = html(content).startsWith("<p>") ? "<p>".length() : 0;
    String label = firstLabel(content, user, paragraph);
    String text = body.strip();
    for (String name : List.of(user, label)) {
      if (!name.isEmpty() && text.startsWith(name)) {
        String rest = text.substring(name.length()).strip();
        boolean isCalled = rest.startsWith(":") || rest.startsWith(",");
        return isCalled ? rest.substring(1).strip() : rest;
      }
    }
    return text;
  }
}
