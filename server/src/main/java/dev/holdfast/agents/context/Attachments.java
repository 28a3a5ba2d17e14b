package dev.holdfast.agents.context;

import dev.holdfast.api.Attachment;
import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.media.AttachmentsConfig;
import dev.holdfast.net.WebFetcher.Bounds;
import dev.holdfast.net.WebFetcher.Fetched;

/** How files come with messages, and how large they may be. */
public record Attachments(Source source, AttachmentsConfig config) {
  /** The scheme of files that were put into the thread's folder before their message came. */
  public static final String UPLOADED = "upload:";

  /** Where files of platforms are fetched. Blocks; an interrupt ends it. */
  public interface Source {
    /**
     * One try.
     *
     * @param source where the message came in, {@code channel:account}
     */
    Fetched fetch(String source, String account, Attachment attachment, Bounds bounds)
        throws CallFailedException, InterruptedException;
  }

  /** Nothing can be fetched. */
  public static Attachments none() {
    return new Attachments(
        (_, _, _, _) -> {
          throw new CallFailedException(
              Failure.of(FailureCode.ACTION_NOT_SUPPORTED, "files are not fetched here"));
        },
        AttachmentsConfig.defaults());
  }
}
