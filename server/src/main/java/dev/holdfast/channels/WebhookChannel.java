package dev.holdfast.channels;

import dev.holdfast.api.ChannelAdapter;
import dev.holdfast.api.DropReason;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FailureKind;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.WebhookRequest;
import dev.holdfast.api.WebhookVerdict;
import dev.holdfast.net.HttpCaller;
import dev.holdfast.time.Time;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Any system that speaks Standard Webhooks: signed messages in, signed replies out. Thread-safe.
 */
public final class WebhookChannel implements ChannelAdapter {
  public static final String CHANNEL = "webhook";

  private static final Logger LOG = LoggerFactory.getLogger(WebhookChannel.class);

  /** No platform sets a limit here; this keeps the JSON of one part well below a megabyte. */
  private static final int TEXT_UNITS_MAX = 65_536;

  private static final String EVERYBODY = "*";

  private final Map<String, Line> lines = new LinkedHashMap<>();
  private final WebhookBody bodies = new WebhookBody();
  private final WebhookPosts posts;

  /** What one account needs, made once. */
  private record Line(StandardWebhooks signatures, String replyUrl, Set<String> allow) {}

  public WebhookChannel(WebhookConfig config, HttpCaller http, Time time) {
    this(config, WebhookPosts.HttpTransport.over(http), time);
  }

  WebhookChannel(WebhookConfig config, WebhookPosts.HttpTransport transport, Time time) {
    posts = new WebhookPosts(transport, time);
    config.accounts().forEach((name, account) -> lines.put(name, line(name, account)));
  }

  private static Line line(String name, WebhookConfig.Account account) {
    StandardWebhooks signatures = StandardWebhooks.of(account.secrets());
    if (account.replyUrl().isEmpty()) {
      LOG.warn(
          "channel webhook:{}: has no reply_url; every reply to it becomes a dead letter", name);
    }
    return new Line(signatures, account.replyUrl(), Set.copyOf(account.allow()));
  }

  @Override
  public String channel() {
    return CHANNEL;
  }

  @Override
  public Set<String> accounts() {
    return Set.copyOf(lines.keySet());
  }

  @Override
  public int textUnitsMax() {
    return TEXT_UNITS_MAX;
  }

  /** The standard has receivers drop a {@code webhook-id} that they have seen. */
  @Override
  public boolean dropsRepeats() {
    return true;
  }

  /** A path without an account means the only one there is. */
  @Override
  public WebhookVerdict receive(WebhookRequest request) {
    String account =
        request.account().isEmpty() && lines.size() == 1
            ? lines.keySet().iterator().next()
            : request.account();
    @Nullable Line line = lines.get(account);
    if (line == null) {
      return new WebhookVerdict.NoAccount();
    }
    return switch (line.signatures().verify(request)) {
      case StandardWebhooks.Check.Refused(String reason) -> new WebhookVerdict.Refused(reason);
      case StandardWebhooks.Check.Verified(String id) -> read(line, account, id, request);
    };
  }

  private WebhookVerdict read(Line line, String account, String id, WebhookRequest request) {
    if (!request.method().equals("POST")) {
      return new WebhookVerdict.Answer(405, "text/plain", "");
    }
    if (!saysJson(request)) {
      return new WebhookVerdict.Answer(415, "text/plain", "");
    }
    try {
      InboundMessage message = bodies.read(account, id, request.body());
      return dropReason(line, message)
          .map(reason -> new WebhookVerdict.Messages(List.of(), List.of(reason)))
          .orElse(new WebhookVerdict.Messages(List.of(message)));
    } catch (WebhookBody.UnreadableException e) {
      return new WebhookVerdict.Unparsable(e.reason());
    } catch (WebhookBody.UnknownTypeException e) {
      return new WebhookVerdict.UnknownType(e.type(), List.of(WebhookBody.TYPE));
    }
  }

  /** Who signs is believed about its people: a list of names is all that is judged here. */
  private static Optional<DropReason> dropReason(Line line, InboundMessage message) {
    if (!line.allow().contains(EVERYBODY) && !line.allow().contains(message.sender())) {
      return Optional.of(DropReason.NOT_ALLOWED);
    }
    boolean isEmpty = message.text().isBlank() && message.attachments().isEmpty();
    return isEmpty ? Optional.of(DropReason.EMPTY) : Optional.empty();
  }

  /** A sender need not name the type; one that names another type means something else. */
  private static boolean saysJson(WebhookRequest request) {
    List<String> types = request.headers().getOrDefault("content-type", List.of());
    if (types.isEmpty()) {
      return true;
    }
    String type = types.getFirst().split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
    return types.size() == 1 && (type.equals("application/json") || type.endsWith("+json"));
  }

  @Override
  public PostOutcome post(OutboundReply reply) throws InterruptedException {
    @Nullable Line line = lines.get(reply.account());
    if (line == null || line.replyUrl().isEmpty()) {
      return new PostOutcome.NotDelivered(
          Failure.of(
                  FailureCode.INVALID_REQUEST,
                  "the account has no reply_url: nothing can be posted to it")
              .as(FailureKind.PERMANENT));
    }
    return posts.post(reply, line.replyUrl(), line.signatures());
  }
}
