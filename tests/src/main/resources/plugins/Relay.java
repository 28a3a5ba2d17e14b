import dev.holdfast.api.Access;
import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.ChannelAdapter;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.Plugin;
import dev.holdfast.api.PluginConfig;
import dev.holdfast.api.PluginContext;
import dev.holdfast.api.PluginHttp;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.ReplayClass;
import dev.holdfast.api.Tool;
import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.api.ToolSpec;
import dev.holdfast.api.WebhookRequest;
import dev.holdfast.api.WebhookVerdict;
import dev.holdfast.api.channels.HmacKey;
import dev.holdfast.api.channels.HttpOutcome;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The wire of the webhook channel, spoken by a jar, whose messages the server judges
 * with {@code judged: true}; and a tool that repeats what it is told.
 */
public class Relay implements Plugin {
  private static final Pattern FIELD = Pattern.compile("\"(\\w+)\":\"((?:[^\"\\\\]|\\\\.)*)\"");

  @Override
  public void start(PluginContext context) {
    PluginConfig config = context.channelConfig("relay");
    String url = config.text("reply_url", "");
    String secret = config.secret("secret");
    HmacKey key =
        HmacKey.of(HmacKey.Algorithm.SHA256, Base64.getDecoder().decode(secret.substring(6)));
    Access access = Access.of(config);
    boolean isJudged = config.flag("judged", false);
    context.offer(new Channel(context, url, key, isJudged ? Map.of("main", access) : Map.of()));
    context.offer(new Repeat());
  }

  private record Channel(
      PluginContext context, String url, HmacKey key, Map<String, Access> access)
      implements ChannelAdapter {
    @Override
    public String channel() {
      return "relay";
    }

    @Override
    public Set<String> accounts() {
      return Set.of("main");
    }

    @Override
    public int textUnitsMax() {
      return 4000;
    }

    @Override
    public boolean dropsRepeats() {
      return true; // by the webhook-id
    }

    @Override
    public WebhookVerdict receive(WebhookRequest request) {
      String id = request.onlyHeader("webhook-id");
      String head = id + "." + request.onlyHeader("webhook-timestamp") + ".";
      String signature = request.onlyHeader("webhook-signature");
      if (!signature.startsWith("v1,")
          || !key.matchesBase64(signature.substring(3), bytes(head), request.body())) {
        return new WebhookVerdict.Refused("wrong signature");
      }
      String body = new String(request.body(), StandardCharsets.UTF_8);
      return new WebhookVerdict.Messages(
          List.of(
              new InboundMessage(
                  "main", field(body, "thread"), field(body, "sender"), field(body, "text"),
                  List.of(), id)));
    }

    @Override
    public PostOutcome post(OutboundReply reply) throws InterruptedException {
      String body =
          "{\"in_reply_to\":%s,\"thread\":%s,\"text\":%s,\"part\":%d,\"parts\":%d}"
              .formatted(
                  quoted(reply.inReplyTo()), quoted(reply.thread()), quoted(reply.text()),
                  reply.part(), reply.parts());
      String seconds = Long.toString(context.now().getEpochSecond());
      byte[] signature = key.sign(bytes(reply.id() + "." + seconds + "." + body));
      Map<String, String> headers =
          Map.of(
              "webhook-id", reply.id(),
              "webhook-timestamp", seconds,
              "webhook-signature", "v1," + Base64.getEncoder().encodeToString(signature));
      try {
        PluginHttp.Answer answer =
            context.http().send(PluginHttp.Request.post(url, headers, bytes(body)));
        return HttpOutcome.of(answer.status(), answer.headers(), "", context.now());
      } catch (CallFailedException e) {
        return HttpOutcome.of(e);
      }
    }
  }

  private static final class Repeat implements Tool {
    @Override
    public ToolSpec spec() {
      return new ToolSpec(
          "repeat",
          "Repeats.",
          "{\"type\":\"object\",\"properties\":{\"say\":{\"type\":\"string\"}}}");
    }

    @Override
    public ReplayClass replay() {
      return ReplayClass.READ;
    }

    @Override
    public ToolResult run(String arguments, ToolContext context) {
      return ToolResult.ok(field(arguments, "say"));
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String field(String json, String name) {
    Matcher fields = FIELD.matcher(json);
    while (fields.find()) {
      if (fields.group(1).equals(name)) {
        return fields.group(2).replaceAll("\\\\(.)", "$1");
      }
    }
    return "";
  }

  private static String quoted(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + '"';
  }
}
