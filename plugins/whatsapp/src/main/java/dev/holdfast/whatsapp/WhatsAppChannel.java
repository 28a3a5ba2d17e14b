package dev.holdfast.whatsapp;

import dev.holdfast.api.Access;
import dev.holdfast.api.Attachment;
import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.ChannelAdapter;
import dev.holdfast.api.ChannelCheck;
import dev.holdfast.api.Click;
import dev.holdfast.api.FindOutcome;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.SettledPost;
import dev.holdfast.api.WebhookRequest;
import dev.holdfast.api.WebhookVerdict;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The channel {@code whatsapp}. It has a webhook alone, since the Cloud API has no other way in,
 * and edits nothing, since WhatsApp lets no business do that. Thread-safe.
 */
final class WhatsAppChannel implements ChannelAdapter {
  static final String NAME = "whatsapp";

  /** WhatsApp shows it for 25 s, or until an answer comes. */
  private static final Duration TYPING_EVERY = Duration.ofSeconds(20);

  private final Map<String, ServedNumber> numbers = new LinkedHashMap<>();

  /** All that is there of one account. */
  record ServedNumber(
      BusinessNumber number,
      WhatsAppIntake intake,
      WhatsAppPosts posts,
      MediaDownloads downloads) {}

  WhatsAppChannel(List<ServedNumber> numbers) {
    numbers.forEach(each -> this.numbers.put(each.number().name(), each));
  }

  private ServedNumber number(String account) {
    @Nullable ServedNumber number = numbers.get(account);
    if (number == null) {
      throw new IllegalArgumentException("there is no account " + account);
    }
    return number;
  }

  @Override
  public String channel() {
    return NAME;
  }

  @Override
  public Set<String> accounts() {
    return Set.copyOf(numbers.keySet());
  }

  @Override
  public WebhookVerdict receive(WebhookRequest request) {
    @Nullable ServedNumber number = numbers.get(request.account());
    return number == null ? new WebhookVerdict.NoAccount() : number.intake().receive(request);
  }

  @Override
  public Map<String, Access> access() {
    Map<String, Access> access = new LinkedHashMap<>();
    numbers.forEach((name, each) -> access.put(name, each.number().account().access()));
    return access;
  }

  @Override
  public List<ChannelCheck> check(String account) throws InterruptedException {
    return WhatsAppChecks.of(number(account).number());
  }

  @Override
  public boolean fetches() {
    return true;
  }

  @Override
  public byte[] fetch(String account, Attachment attachment, long bytesMax)
      throws CallFailedException, InterruptedException {
    return number(account).downloads().fetch(attachment, bytesMax);
  }

  @Override
  public boolean showsChoices() {
    return true;
  }

  @Override
  public void answerClick(Click click, String text)
      throws CallFailedException, InterruptedException {
    number(click.account()).number().answer(click, text);
  }

  /** Nothing: WhatsApp edits no posts, and whoever presses an old button is told. */
  @Override
  public void settle(SettledPost post) {}

  @Override
  public int textUnitsMax() {
    return WhatsAppText.UNITS_MAX;
  }

  @Override
  public Duration typingEvery() {
    return TYPING_EVERY;
  }

  @Override
  public void showTyping(String account, String thread)
      throws CallFailedException, InterruptedException {
    number(account).number().showTyping(thread);
  }

  @Override
  public boolean findsPosts() {
    return true;
  }

  @Override
  public FindOutcome find(OutboundReply reply) {
    return number(reply.account()).posts().find(reply);
  }

  @Override
  public PostOutcome post(OutboundReply reply) throws InterruptedException {
    return number(reply.account()).posts().post(reply);
  }
}
