package dev.holdfast.nats;

import dev.holdfast.api.DropReason;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.Origin;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.kit.JsonText;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Reads the messages of one account. What headers say is checked, and believed no further. */
final class MessageReader {
  static final String MSG_ID = "Nats-Msg-Id";
  static final String THREAD = "Holdfast-Thread";
  static final String SENDER = "Holdfast-Sender";
  static final String REPLY = "Holdfast-Reply";

  /** Of what an agent posts; questions have none of them. */
  private static final List<String> POST_HEADERS =
      List.of(NatsPosts.KIND, NatsPosts.PART, NatsPosts.IN_REPLY_TO);

  private static final String ANSWER = NatsPosts.kind(OutboundReply.Kind.ANSWER);

  /** Of the body. */
  static final int BYTES_MAX = 1024 * 1024;

  /** Such a value can go into a header of the answer. */
  private static final Pattern VALUE = Pattern.compile("[!-~]([ -~]{0,198}[!-~])?");

  private static final Pattern PLAIN_SUBJECT = Pattern.compile("[!-~]+");

  /** Spaces, also those without width, and control characters. */
  private static final Pattern NOTHING_SEEN = Pattern.compile("[\\s\\p{Z}\\p{Cc}\\p{Cf}]*+");

  private static final String BYTE_ORDER_MARK = "\uFEFF";

  private final NatsAccount account;

  MessageReader(NatsAccount account) {
    this.account = account;
  }

  MessageReading read(StreamMessage message) {
    Map<String, String> headers = message.headers();
    if (headers.containsKey(HeaderFilter.REPLACED)) {
      return unreadable("its headers are not \"name: value\" lines in printable ASCII");
    }
    for (String name : List.of(MSG_ID, THREAD, SENDER)) {
      if (headers.containsKey(name) && !VALUE.matcher(headers.get(name)).matches()) {
        return unreadable("the header " + name + " has not 1 to 200 printable ASCII characters");
      }
    }
    if (!(account.trustsHeaders() && headers.keySet().containsAll(List.of(THREAD, SENDER)))
        && !PLAIN_SUBJECT.matcher(message.subject()).matches()) {
      return unreadable("its subject is not printable ASCII, and no headers stand for it");
    }
    String reply = headers.getOrDefault(REPLY, "");
    if (!reply.isEmpty() && !account.mayAnswerAt(reply)) {
      return unreadable(
          "the header %s names no subject that reply_allow has, of up to %d characters"
              .formatted(REPLY, SubjectRules.UNITS_MAX));
    }
    if (message.body().length > BYTES_MAX) {
      return unreadable("it has more than 1 MiB");
    }
    boolean isPost = POST_HEADERS.stream().anyMatch(headers::containsKey);
    if (isPost && account.access().botsPerMinute() == 0) {
      return loop("it is a post of an agent, and bots_per_minute is 0");
    }
    if (!headers.getOrDefault(NatsPosts.KIND, ANSWER).equals(ANSWER)) {
      return loop("it is a post of an agent, and no answer");
    }
    String text;
    try {
      text = text(decoded(message.body()));
    } catch (CharacterCodingException _) {
      return unreadable("it is not UTF-8");
    }
    if (NOTHING_SEEN.matcher(text).matches()) {
      return new MessageReading.Unreadable(DropReason.EMPTY, "it has no text");
    }
    String subject = message.subject();
    return new MessageReading.Question(
        new InboundMessage(
            account.name(),
            thread(subject, headers.getOrDefault(THREAD, subject)),
            account.trustsHeaders() ? headers.getOrDefault(SENDER, subject) : subject,
            text,
            List.of(),
            headers.containsKey(MSG_ID)
                ? SubjectScope.scoped(subject, headers.get(MSG_ID))
                : place(message),
            new Origin(Origin.Place.DIRECT, "", "", "", isPost, true)
                .at(message.at().toEpochMilli())),
        reply);
  }

  private String thread(String subject, String name) {
    return account.trustsHeaders() ? name : SubjectScope.scoped(subject, name);
  }

  private static MessageReading unreadable(String why) {
    return new MessageReading.Unreadable(DropReason.UNREADABLE, why);
  }

  /** Two agents would answer each other for ever. */
  private static MessageReading loop(String why) {
    return new MessageReading.Unreadable(DropReason.LOOP, why);
  }

  /** With the time: a stream that was made anew counts from 1 again. */
  private static String place(StreamMessage message) {
    return message.stream() + ":" + message.sequence() + ":" + message.at();
  }

  private static String decoded(byte[] body) throws CharacterCodingException {
    String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString();
    return text.startsWith(BYTE_ORDER_MARK) ? text.substring(1) : text;
  }

  /** The whole body, unless it is a CloudEvent: then the text in its data; may be empty. */
  private static String text(String body) {
    if (body.stripLeading().startsWith("{")) {
      try {
        Map<String, Object> event = JsonText.object(body);
        if (JsonText.text(event, "specversion").equals("1.0")) {
          return JsonText.text(JsonText.map(event, "data"), "text");
        }
      } catch (IllegalArgumentException _) {
        return body; // it only looks like JSON
      }
    }
    return body;
  }
}
