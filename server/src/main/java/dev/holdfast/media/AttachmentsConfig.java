package dev.holdfast.media;

import dev.holdfast.config.Check;
import dev.holdfast.config.Section;
import java.time.Duration;

/**
 * The {@code attachments} section of holdfast.yaml: files that come with messages and go with
 * replies, and images that tools return.
 *
 * @param countMax of one message, of one reply, and of one result of a tool
 * @param bytesMax of each
 * @param totalBytesMax of all of one message, of one reply, and of one result of a tool
 * @param timeout of all downloads of one message
 * @param threadBytesMax kept of one chat thread; the oldest go first
 */
public record AttachmentsConfig(
    int countMax,
    int bytesMax,
    long totalBytesMax,
    Duration timeout,
    long threadBytesMax,
    Images images) {
  public AttachmentsConfig {
    Check.inRange("max_per_message", countMax, 0, 100);
    Check.inRange("max_bytes", bytesMax, 1024, 64 * 1024 * 1024);
    Check.inRange("max_total_bytes", totalBytesMax, 1024, 512L * 1024 * 1024);
    Check.inRange("timeout_secs", timeout, Duration.ofSeconds(1), Duration.ofMinutes(10));
    Check.inRange("thread_max_bytes", threadBytesMax, 1024, 1L << 50);
  }

  /**
   * What models are shown in one request; the newest images win.
   *
   * @param bytesMax of each; a larger one is told of in words
   */
  public record Images(int bytesMax, int countMax, long totalBytesMax) {
    public Images {
      Check.inRange("max_bytes", bytesMax, 0, 20 * 1024 * 1024);
      Check.inRange("max_per_request", countMax, 0, 100);
      Check.inRange("max_total_bytes", totalBytesMax, 0, 64L * 1024 * 1024);
    }

    static Images from(Section images) {
      return new Images(
          images.whole("max_bytes", 3_932_160),
          images.whole("max_per_request", 4),
          images.wholeLong("max_total_bytes", 8_388_608));
    }
  }

  public static AttachmentsConfig from(Section attachments) {
    return new AttachmentsConfig(
        attachments.whole("max_per_message", 10),
        attachments.whole("max_bytes", 10_485_760),
        attachments.wholeLong("max_total_bytes", 26_214_400),
        attachments.seconds("timeout_secs", 30),
        attachments.wholeLong("thread_max_bytes", 268_435_456),
        attachments.section("images").read(Images::from));
  }

  /** What holds when the section is empty. */
  public static AttachmentsConfig defaults() {
    return from(Section.empty());
  }
}
