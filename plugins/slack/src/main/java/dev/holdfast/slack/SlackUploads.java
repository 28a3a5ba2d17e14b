package dev.holdfast.slack;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.FindOutcome;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.PluginHttp;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.StoredFile;
import dev.holdfast.kit.JsonText;
import dev.holdfast.kit.StateFile;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;

/**
 * Puts the files of replies into conversations. Nobody sees an upload before it is completed, and
 * its ids are on disk before that: a reply that is posted again does not bring its files twice.
 * Blocks the calling thread. Thread-safe.
 */
final class SlackUploads {
  static final int REPLIES_KEPT = 1000;
  private static final Duration UPLOAD_MAX = Duration.ofSeconds(40);
  private static final int ANSWER_BYTES_MAX = 64 * 1024;
  private static final String FILES = "files";
  private static final String DONE = "done";

  private final SlackBot bot;
  private final StateFile progress;

  /** Each holds a whole file in memory. */
  private final Semaphore places;

  SlackUploads(SlackBot bot, StateFile progress, Semaphore places) {
    this.bot = bot;
    this.progress = progress;
    this.places = places;
  }

  /** What became of the files of a reply. */
  sealed interface UploadOutcome {}

  /** {@code note}: what to tell of files that Slack does not take; empty when it has all. */
  record Shared(String note) implements UploadOutcome {}

  record NotShared(PostOutcome outcome) implements UploadOutcome {}

  UploadOutcome share(OutboundReply reply, SlackPlace to) throws InterruptedException {
    if (reply.files().isEmpty()) {
      return new Shared("");
    }
    Optional<Map<String, Object>> before = progress.find(reply.id());
    if (before.isPresent() && JsonText.flag(before.get(), DONE)) {
      return new Shared("");
    }
    Map<String, String> names = new LinkedHashMap<>();
    try {
      if (before.isPresent()) {
        Map<String, Object> kept = JsonText.map(before.get(), FILES);
        kept.forEach((id, name) -> names.put(id, String.valueOf(name)));
        if (isShared(names)) {
          keep(reply, names, true);
          return new Shared("");
        }
      } else {
        for (StoredFile file : reply.files()) {
          names.put(upload(file), file.name());
        }
        keep(reply, names, false);
      }
    } catch (CallFailedException e) { // nothing of it is visible yet
      return e.failure().isPassing()
          ? new NotShared(new PostOutcome.NotDelivered(e.failure()))
          : new Shared(note(e.failure()));
    }
    return complete(reply, to, names);
  }

  private UploadOutcome complete(OutboundReply reply, SlackPlace to, Map<String, String> names)
      throws InterruptedException {
    List<Map<String, String>> files = new ArrayList<>();
    names.forEach((id, name) -> files.add(Map.of("id", id, "title", name)));
    Map<String, Object> parameters = new LinkedHashMap<>();
    parameters.put(FILES, files);
    parameters.put("channel_id", to.channel());
    if (!to.threadTs().isEmpty()) {
      parameters.put("thread_ts", to.threadTs());
    }
    try {
      SlackAnswer answer = bot.api().call("files.completeUploadExternal", parameters);
      if (answer.isOk()) {
        keep(reply, names, true);
        return new Shared("");
      }
      return answer.failure().isPassing()
          ? new NotShared(answer.outcome())
          : new Shared(note(answer.failure()));
    } catch (CallFailedException e) {
      return new NotShared(new PostOutcome.Unknown(e.failure()));
    }
  }

  private static String note(Failure failure) {
    return "[The files could not be attached: " + failure.message() + ".]";
  }

  private boolean isShared(Map<String, String> names)
      throws CallFailedException, InterruptedException {
    if (names.isEmpty()) {
      return false;
    }
    Map<String, ?> first = Map.of("file", names.keySet().iterator().next());
    Map<String, Object> body = bot.api().call("files.info", first).orThrow();
    return !JsonText.map(JsonText.map(body, "file"), "shares").isEmpty();
  }

  /** Returns Slack's id of the file. */
  private String upload(StoredFile file) throws CallFailedException, InterruptedException {
    places.acquire();
    try {
      Map<String, Object> place =
          bot.api()
              .call(
                  "files.getUploadURLExternal",
                  Map.of("filename", file.name(), "length", file.bytes()))
              .orThrow();
      String type = file.mediaType().isBlank() ? "application/octet-stream" : file.mediaType();
      PluginHttp.Answer answer =
          bot.context()
              .http()
              .send(
                  new PluginHttp.Request(
                      "POST",
                      JsonText.text(place, "upload_url"),
                      Map.of("content-type", type),
                      Files.readAllBytes(file.file()),
                      UPLOAD_MAX,
                      ANSWER_BYTES_MAX,
                      false));
      if (answer.status() != 200) {
        throw new CallFailedException(
            Failure.of(
                FailureCode.BACKEND_FAILURE,
                "Slack answered " + answer.status() + " to an upload"));
      }
      return JsonText.text(place, "file_id");
    } catch (IOException | IllegalArgumentException e) {
      throw new CallFailedException(
          Failure.of(
              FailureCode.INVALID_REQUEST, "the file \"" + file.name() + "\" cannot be read"),
          e);
    } finally {
      places.release();
    }
  }

  private void keep(OutboundReply reply, Map<String, String> names, boolean isDone) {
    try {
      progress.put(reply.id(), Map.of(FILES, names, DONE, isDone));
    } catch (IOException e) {
      bot.context()
          .logger()
          .log(Level.WARNING, "the list of uploads could not be written: {0}", e.toString());
    }
  }

  /** Whether the files of a reply without a text are there. */
  FindOutcome find(OutboundReply reply) throws InterruptedException {
    Optional<Map<String, Object>> before = progress.find(reply.id());
    if (before.isEmpty()) {
      return new FindOutcome.Absent();
    }
    Map<String, String> names = new LinkedHashMap<>();
    JsonText.map(before.get(), FILES).forEach((id, name) -> names.put(id, String.valueOf(name)));
    try {
      boolean isThere = JsonText.flag(before.get(), DONE) || isShared(names);
      return isThere ? new FindOutcome.Found("") : new FindOutcome.Absent();
    } catch (CallFailedException e) {
      return new FindOutcome.Failed(e.failure());
    }
  }
}
