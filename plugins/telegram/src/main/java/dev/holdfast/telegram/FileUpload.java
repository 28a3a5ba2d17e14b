package dev.holdfast.telegram;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.StoredFile;
import dev.holdfast.kit.MultipartForm;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Semaphore;

/**
 * Sends files, each as a message of its own. In place of one that Telegram does not take, a
 * sentence says so: the answer that it belongs to has arrived. Thread-safe.
 */
final class FileUpload {
  /** Telegram takes no more of a bot. */
  static final long BYTES_MAX = 50L * 1024 * 1024;

  /** As a photo it takes no more than this. */
  private static final long PHOTO_BYTES_MAX = 10L * 1024 * 1024;

  private static final Set<String> PHOTOS = Set.of("image/jpeg", "image/png", "image/webp");
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private final BotAccount bot;

  /** Each upload holds its file in memory. */
  private final Semaphore places;

  /**
   * @param places of all bots together
   */
  FileUpload(BotAccount bot, Semaphore places) {
    this.bot = bot;
    this.places = places;
  }

  PostOutcome post(StoredFile file, ChatAddress to)
      throws CallFailedException, InterruptedException {
    if (file.bytes() > BYTES_MAX) {
      return say(file, "it has more than 50 MB, and Telegram takes no more of a bot", to);
    }
    places.acquire();
    try {
      byte[] content = Files.readAllBytes(file.file());
      boolean isPhoto = PHOTOS.contains(file.mediaType()) && content.length <= PHOTO_BYTES_MAX;
      BotAnswer answer = upload(isPhoto ? "photo" : "document", file, content, to);
      if (isPhoto && answer.code() == 400 && answer.migratedTo().isEmpty()) {
        answer = upload("document", file, content, to); // too wide for a photo, for example
      }
      if (!answer.migratedTo().isEmpty()) {
        bot.note(new TelegramUpdate.Migrated(to.chat(), answer.migratedTo()));
        ChatAddress moved = to.withChat(answer.migratedTo());
        return outcome(upload("document", file, content, moved), file, moved);
      }
      return outcome(answer, file, to);
    } catch (IOException _) {
      return say(file, "it is gone", to);
    } finally {
      places.release();
    }
  }

  private BotAnswer upload(String kind, StoredFile file, byte[] content, ChatAddress to)
      throws CallFailedException, InterruptedException {
    MultipartForm form = new MultipartForm();
    to.parameters().forEach((name, value) -> form.field(name, value.toString()));
    form.file(kind, file.name(), file.mediaType(), content);
    String method = kind.equals("photo") ? "sendPhoto" : "sendDocument";
    return bot.api().upload(method, form, TIMEOUT);
  }

  private PostOutcome outcome(BotAnswer answer, StoredFile file, ChatAddress to)
      throws CallFailedException, InterruptedException {
    boolean isRefused = answer.code() == 400 || answer.code() == 413;
    return isRefused && !answer.says("chat not found")
        ? say(file, "Telegram does not take it", to)
        : answer.outcome(to.chat());
  }

  private PostOutcome say(StoredFile file, String why, ChatAddress to)
      throws CallFailedException, InterruptedException {
    Map<String, Object> parameters = new LinkedHashMap<>(to.parameters());
    PostText.plain("The file " + file.name() + " could not be sent: " + why + ".").into(parameters);
    BotAnswer answer = bot.api().call("sendMessage", parameters);
    return answer.outcome(to.chat());
  }
}
