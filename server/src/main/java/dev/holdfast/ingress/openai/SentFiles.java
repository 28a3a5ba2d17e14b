package dev.holdfast.ingress.openai;

import dev.holdfast.api.Attachment;
import dev.holdfast.ingress.api.WebUploads;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.media.AttachmentsConfig;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The images and files of a message, as parts of its content in either protocol's form. */
final class SentFiles {
  private static final Pattern DATA_URL = Pattern.compile("data:[^,]{0,200};base64,");

  private final List<Part> parts = new ArrayList<>();

  private record Part(String at, String name, String base64) {}

  /** Whether a part of a content is one of these. */
  static boolean isType(String type) {
    return switch (type) {
      case "image_url", "input_image", "file", "input_file" -> true;
      default -> false;
    };
  }

  boolean isEmpty() {
    return parts.isEmpty();
  }

  /** Where the first one is. */
  String place() {
    return parts.getFirst().at();
  }

  /**
   * Takes note of a part; its content is not looked at yet.
   *
   * @param at its place in the request
   */
  void add(String type, JsonObject part, String at) throws RefusedRequestException {
    switch (type) {
      case "image_url" -> addImage(part.getValue("image_url"), at + ".image_url");
      case "input_image" -> addImage(part.getValue("image_url"), at + ".image_url");
      case "file" -> addFile(part.getValue("file"), at + ".file");
      default -> addFile(part, at);
    }
  }

  void addAll(SentFiles more) {
    parts.addAll(more.parts);
  }

  private void addImage(@Nullable Object given, String at) throws RefusedRequestException {
    Object url = given instanceof JsonObject object ? object.getValue("url") : given;
    if (!(url instanceof String text) || text.isEmpty()) {
      throw OpenAiErrors.invalid(at, at + " must be the URL of an image");
    }
    parts.add(new Part(at, "image", content(text, at)));
  }

  private void addFile(@Nullable Object given, String at) throws RefusedRequestException {
    if (!(given instanceof JsonObject file)
        || !(file.getValue("file_data") instanceof String data)) {
      throw OpenAiErrors.invalid(at, at + " must have file_data: files are not kept here by id");
    }
    String name = file.getValue("filename") instanceof String said ? said : "file";
    parts.add(new Part(at, name, data.startsWith("data:") ? content(data, at) : data));
  }

  private static String content(String url, String at) throws RefusedRequestException {
    var head = DATA_URL.matcher(url);
    if (!head.lookingAt()) {
      throw OpenAiErrors.invalid(
          at, at + " must be a data: URL in base64; the server fetches no others");
    }
    return url.substring(head.end());
  }

  /**
   * Keeps all of them for the next message of a thread that the caller may write to.
   *
   * @throws RefusedRequestException 400, and nothing is kept, when they are too many or too large
   */
  List<Attachment> keep(String threadId, WebUploads uploads)
      throws RefusedRequestException, IOException {
    AttachmentsConfig limits = uploads.limits();
    if (parts.size() > limits.countMax()) {
      throw OpenAiErrors.invalid(
          place(), "a message may have at most " + limits.countMax() + " files");
    }
    List<byte[]> contents = new ArrayList<>();
    long bytes = 0;
    for (Part part : parts) {
      byte[] content = decoded(part);
      bytes += content.length;
      if (content.length == 0 || content.length > limits.bytesMax()) {
        throw OpenAiErrors.invalid(
            part.at(),
            part.at() + " must have 1 to " + limits.bytesMax() + " bytes, got " + content.length);
      }
      contents.add(content);
    }
    if (bytes > limits.totalBytesMax()) {
      throw OpenAiErrors.invalid(
          place(), "the files of a message may have " + limits.totalBytesMax() + " bytes together");
    }
    List<Attachment> kept = new ArrayList<>();
    for (int i = 0; i < parts.size(); i++) {
      kept.add(uploads.keep(threadId, parts.get(i).name(), contents.get(i)));
    }
    return kept;
  }

  private static byte[] decoded(Part part) throws RefusedRequestException {
    try {
      return Base64.getMimeDecoder().decode(part.base64());
    } catch (IllegalArgumentException _) {
      throw OpenAiErrors.invalid(part.at(), part.at() + " is not in base64");
    }
  }
}
