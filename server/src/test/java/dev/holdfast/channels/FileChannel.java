package dev.holdfast.channels;

import dev.holdfast.api.Attachment;
import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.ChannelAdapter;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.WebhookRequest;
import dev.holdfast.api.WebhookVerdict;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/** A channel that fetches the files of its messages as a test says. */
public final class FileChannel implements ChannelAdapter {
  public static final String NAME = "files";

  private final Fetch fetch;
  private final List<String> asked = new CopyOnWriteArrayList<>();

  /** What one call does. */
  public interface Fetch {
    byte[] run(long bytesMax) throws CallFailedException, InterruptedException;
  }

  public FileChannel(Fetch fetch) {
    this.fetch = fetch;
  }

  /** Account and address of each call. */
  public List<String> asked() {
    return asked;
  }

  @Override
  public String channel() {
    return NAME;
  }

  @Override
  public Set<String> accounts() {
    return Set.of("main");
  }

  @Override
  public boolean fetches() {
    return true;
  }

  @Override
  public byte[] fetch(String account, Attachment attachment, long bytesMax)
      throws CallFailedException, InterruptedException {
    asked.add(account + " " + attachment.url());
    return fetch.run(bytesMax);
  }

  @Override
  public int textUnitsMax() {
    return 1000;
  }

  @Override
  public WebhookVerdict receive(WebhookRequest request) {
    return new WebhookVerdict.NoAccount();
  }

  @Override
  public PostOutcome post(OutboundReply reply) {
    return new PostOutcome.Sent("");
  }
}
