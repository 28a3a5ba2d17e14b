package dev.holdfast.channels;

import dev.holdfast.api.Attachment;
import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.net.WebFetcher.Bounds;
import dev.holdfast.net.WebFetcher.Fetched;
import dev.holdfast.registry.Use;
import dev.holdfast.time.Standstill;
import dev.holdfast.time.Time;
import dev.holdfast.time.TimeLimit;
import java.util.Optional;

/**
 * Where the files of messages are fetched: by their channel, if it does that, else from the web.
 * Thread-safe; blocks, and an interrupt ends it.
 */
public final class MessageFiles {
  private static final int FOUND = 200;

  private final Channels channels;
  private final Web web;
  private final Time time;

  /** How the server fetches an address by itself. */
  public interface Web {
    Fetched fetch(String url, Bounds bounds) throws CallFailedException, InterruptedException;
  }

  public MessageFiles(Channels channels, Web web, Time time) {
    this.channels = channels;
    this.web = web;
    this.time = time;
  }

  /**
   * One try.
   *
   * @param source where the message came in, {@code channel:account}
   * @param bounds hold for whatever the channel does
   * @throws CallFailedException for what it says; AGENT_UNAVAILABLE while its channel is away
   */
  public Fetched fetch(String source, String account, Attachment attachment, Bounds bounds)
      throws CallFailedException, InterruptedException {
    String name = source.split(":", 2)[0];
    Optional<ChannelFacts> facts = channels.facts(name);
    if (facts.isPresent() ? !facts.get().fetches() : !channels.mayBeAdded(name)) {
      return web.fetch(attachment.url(), bounds);
    }
    // What an address of a channel means nobody else knows: while it is away, nothing is fetched.
    try (Use<Channel> use = channels.begin(name).orElseThrow(() -> away(name))) {
      return use.value().facts().fetches()
          ? fetched(use.value(), account, attachment, bounds)
          : web.fetch(attachment.url(), bounds);
    }
  }

  private static CallFailedException away(String channel) {
    return new CallFailedException(
        Failure.of(FailureCode.AGENT_UNAVAILABLE, "the channel " + channel + " is not available"));
  }

  private Fetched fetched(Channel channel, String account, Attachment attachment, Bounds bounds)
      throws CallFailedException, InterruptedException {
    TimeLimit limit =
        TimeLimit.start(
            time, bounds.total(), _ -> Standstill.CATCH_UP, Thread.currentThread()::interrupt);
    try {
      byte[] body = channel.fetch(account, attachment, bounds.bytesMax());
      boolean isTooLong = body.length > bounds.bytesMax();
      return new Fetched(
          attachment.url(),
          FOUND,
          attachment.mediaType(),
          isTooLong ? new byte[0] : body,
          isTooLong);
    } catch (InterruptedException e) {
      if (limit.isExpired()) {
        throw new CallFailedException(
            Failure.of(
                FailureCode.TIMEOUT,
                "fetching took longer than " + bounds.total().toSeconds() + " s"),
            e);
      }
      throw e;
    } catch (RuntimeException e) { // one of the server's own; its text may have a secret
      throw new CallFailedException(
          Failure.of(
              FailureCode.BACKEND_FAILURE, "the channel failed: " + e.getClass().getSimpleName()),
          e);
    } finally {
      limit.close();
      if (limit.isExpired()) {
        Thread.interrupted(); // its interrupt does not outlive it
      }
    }
  }
}
