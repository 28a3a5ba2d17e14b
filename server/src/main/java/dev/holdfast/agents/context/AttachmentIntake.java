package dev.holdfast.agents.context;

import dev.holdfast.api.Attachment;
import dev.holdfast.api.CallFailedException;
import dev.holdfast.channels.WebChannel;
import dev.holdfast.media.AttachmentsConfig;
import dev.holdfast.media.FileFacts;
import dev.holdfast.media.FileNames;
import dev.holdfast.net.WebFetcher.Bounds;
import dev.holdfast.net.WebFetcher.Fetched;
import dev.holdfast.store.threads.AttachmentFolder;
import dev.holdfast.time.Time;
import dev.holdfast.tools.files.FileFailedException;
import dev.holdfast.tools.files.ScratchFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the files of a message into the thread's folder, under names of ours and as what they are
 * by their bytes. What cannot be had is told in words: a message is answered without its files
 * rather than not at all.
 */
public final class AttachmentIntake {
  private static final Logger LOG = LoggerFactory.getLogger(AttachmentIntake.class);
  private static final int TRIES_MAX = 2;
  private static final Duration PAUSE = Duration.ofMillis(500);
  private static final String SCRATCH_FOLDER = "attachments";

  private final Attachments attachments;
  private final AttachmentsConfig config;
  private final Time time;
  private final Epoch epoch;
  private final AttachmentFolder folder;
  private final Path scratch;

  /** {@code epoch}: of the thread that writes. */
  public AttachmentIntake(
      Attachments attachments, Time time, Epoch epoch, AttachmentFolder folder, Path scratch) {
    this.attachments = attachments;
    this.config = attachments.config();
    this.time = time;
    this.epoch = epoch;
    this.folder = folder;
    this.scratch = scratch;
  }

  /** Had, or why not. */
  @SuppressWarnings("ArrayRecordComponent") // never compared as a record
  private record Had(byte[] bytes, String why) {
    static Had not(String why) {
      return new Had(new byte[0], why);
    }
  }

  /**
   * All of them, in their order. May be done again after a crash: the names are the same.
   *
   * @throws IOException when the disk refuses; nothing is half written
   * @throws InterruptedException at once, also in the middle of a download
   */
  public List<StoredAttachment> take(Incoming incoming) throws IOException, InterruptedException {
    List<StoredAttachment> all = new ArrayList<>();
    long end = time.nanos() + config.timeout().toNanos();
    long left = config.totalBytesMax();
    for (Attachment attachment : incoming.message().attachments()) {
      String name = FileNames.shown(attachment.name());
      if (all.size() >= config.countMax()) {
        all.add(
            StoredAttachment.lost(name, "there were more than " + config.countMax() + " files"));
        continue;
      }
      Had had = bytes(incoming, attachment, Math.min(left, config.bytesMax()), end);
      if (had.why().isEmpty()) {
        left -= had.bytes().length;
        int number = all.size() + 1;
        all.add(epoch.write(() -> keep(incoming, attachment, number, had.bytes())));
      } else {
        LOG.info("event {}: a file that came with it is left out: {}", incoming.id(), had.why());
        all.add(StoredAttachment.lost(name, had.why()));
      }
    }
    return all;
  }

  private Had bytes(Incoming incoming, Attachment attachment, long bytesMax, long end)
      throws IOException, InterruptedException {
    if (attachment.url().startsWith(Attachments.UPLOADED)) {
      return uploaded(incoming, attachment);
    }
    if (attachment.bytes() > bytesMax) {
      return tooLarge(bytesMax);
    }
    for (int tries = 1; ; tries++) {
      Duration left = Duration.ofNanos(end - time.nanos());
      if (!left.isPositive()) {
        return Had.not("fetching took longer than " + config.timeout().toSeconds() + " s");
      }
      try {
        Fetched fetched =
            attachments
                .source()
                .fetch(
                    incoming.event().source(),
                    incoming.message().account(),
                    attachment,
                    new Bounds(left, bytesMax, "*/*"));
        return had(fetched, bytesMax);
      } catch (CallFailedException e) {
        if (!e.isPassing() || tries == TRIES_MAX) {
          return Had.not(e.failure().message());
        }
      }
      time.sleep(PAUSE);
    }
  }

  private static Had had(Fetched fetched, long bytesMax) {
    if (fetched.status() < 200 || fetched.status() > 299) {
      return Had.not("its server answered " + fetched.status());
    }
    return fetched.cut() ? tooLarge(bytesMax) : new Had(fetched.body(), "");
  }

  private static Had tooLarge(long bytesMax) {
    return Had.not("it has more than the " + bytesMax + " bytes that are left for it");
  }

  /** Only our own channel says so; from any other it would reach for files of somebody else. */
  private Had uploaded(Incoming incoming, Attachment attachment) throws IOException {
    if (!incoming.event().source().startsWith(WebChannel.CHANNEL + ":")) {
      return Had.not("only the chat page uploads files");
    }
    String file = attachment.url().substring(Attachments.UPLOADED.length());
    Optional<Path> found = folder.find(file);
    if (found.isEmpty() || Files.size(found.get()) > config.bytesMax()) {
      return Had.not("it is no longer available");
    }
    return new Had(Files.readAllBytes(found.get()), "");
  }

  private StoredAttachment keep(Incoming incoming, Attachment attachment, int number, byte[] bytes)
      throws IOException {
    FileFacts facts = FileFacts.of(bytes);
    String uploaded =
        attachment.url().startsWith(Attachments.UPLOADED)
            ? attachment.url().substring(Attachments.UPLOADED.length())
            : "";
    String file = uploaded;
    if (uploaded.isEmpty()) {
      file = AttachmentFolder.name(incoming.id() + "-" + number, facts.type().extension());
      Path _ = folder.put(file, bytes, config.threadBytesMax());
    }
    return StoredAttachment.kept(
        FileNames.shown(attachment.name()),
        facts,
        file,
        bytes.length,
        copied(incoming, file, bytes));
  }

  /** For tools, which see nothing of the thread but its scratch folder. */
  private String copied(Incoming incoming, String file, byte[] bytes) {
    try {
      ScratchFiles.write(scratch, SCRATCH_FOLDER, file, bytes);
      return SCRATCH_FOLDER + "/" + file;
    } catch (FileFailedException | IOException e) {
      LOG.warn("event {}: a file has no copy for tools: {}", incoming.id(), e.getMessage());
      return "";
    }
  }
}
