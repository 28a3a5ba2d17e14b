package dev.holdfast.models;

import dev.holdfast.api.Message;
import dev.holdfast.api.ModelAnswer;
import dev.holdfast.api.ModelAnswer.StopReason;
import dev.holdfast.api.ModelListener;
import dev.holdfast.api.ModelProvider;
import dev.holdfast.api.ModelRequest;
import dev.holdfast.api.StoredFile;
import dev.holdfast.api.TokenUsage;
import dev.holdfast.api.ToolCall;
import dev.holdfast.media.FileFacts;
import io.vertx.core.json.JsonObject;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * {@code embedded/echo}: answers without a network, at once, and always the same, so that
 * everything can be tried offline. It answers {@code echo: <text of the last message>}, with a line
 * {@code [image png 640x480]} for each image that it was shown with it. {@code !tool name {json}}
 * makes it call that tool, if it was offered or a search finds it; then it answers {@code echo:
 * <result>}. A token is four characters, begun ones included.
 */
public final class EchoModel implements ModelProvider {
  public static final String PROVIDER = "embedded";
  public static final String FULL_NAME = "embedded/echo";

  private static final int WINDOW_TOKENS = 200_000;
  private static final int DELTAS = 4;

  /** Finds tools where there are too many to offer all of them. */
  private static final String SEARCH = "tool_search";

  private static final Pattern TOOL =
      Pattern.compile("!tool\\s+(\\S+)\\s*(\\{.*\\})?\\s*", Pattern.DOTALL);

  @Override
  public String name() {
    return PROVIDER;
  }

  @Override
  public boolean isLocal() {
    return true;
  }

  @Override
  public int windowTokens(String model) {
    return WINDOW_TOKENS;
  }

  @Override
  public ModelAnswer ask(ModelRequest request, ModelListener listener) throws InterruptedException {
    Message last =
        request.messages().isEmpty() ? new Message.User("") : request.messages().getLast();
    String heard = heard(last);
    long input = input(request);
    Optional<ToolCall> call = ordered(request);
    if (call.isPresent()) {
      return answer("", List.of(call.get()), StopReason.TOOL_CALLS, input);
    }
    String text = "echo: " + heard;
    stream(text, listener);
    return answer(text, List.of(), StopReason.END, input);
  }

  /** The call that it was told to make and has not made yet. */
  private static Optional<ToolCall> ordered(ModelRequest request) {
    List<Message> messages = request.messages();
    boolean hasSearched =
        !messages.isEmpty()
            && messages.getLast() instanceof Message.ToolResult result
            && result.tool().equals(SEARCH);
    Optional<Matcher> order =
        messages.reversed().stream()
            .filter(Message.User.class::isInstance)
            .findFirst()
            .filter(user -> hasSearched || user.equals(messages.getLast()))
            .map(user -> TOOL.matcher(heard(user)))
            .filter(Matcher::matches);
    if (order.isEmpty()) {
      return Optional.empty();
    }
    String name = order.get().group(1);
    if (isOffered(request, name) && !(hasSearched && name.equals(SEARCH))) {
      String arguments = order.get().group(2);
      return Optional.of(call(request, name, arguments == null ? "{}" : arguments));
    }
    return !hasSearched && isOffered(request, SEARCH)
        ? Optional.of(call(request, SEARCH, new JsonObject().put("query", name).encode()))
        : Optional.empty();
  }

  private static boolean isOffered(ModelRequest request, String tool) {
    return request.tools().stream().anyMatch(offered -> offered.name().equals(tool));
  }

  private static ToolCall call(ModelRequest request, String tool, String arguments) {
    return new ToolCall("echo_" + request.messages().size(), tool, arguments);
  }

  private static String heard(Message message) {
    return switch (message) {
      case Message.User user -> MessageStamp.off(user.text()) + seen(user.images());
      case Message.Assistant said -> said.text();
      case Message.ToolResult result -> result.text() + seen(result.images());
    };
  }

  /** What it sees of images: their kind and size, read from the files themselves. */
  private static String seen(List<StoredFile> images) {
    StringBuilder seen = new StringBuilder();
    for (StoredFile image : images) {
      seen.append("\n[image ");
      try (InputStream in = new FileInputStream(image.file().toFile())) {
        FileFacts facts = FileFacts.of(in.readNBytes(Math.toIntExact(image.bytes())));
        seen.append(facts.type().extension());
        seen.append(' ').append(facts.width()).append('x').append(facts.height());
      } catch (IOException _) {
        seen.append("gone");
      }
      seen.append(']');
    }
    return seen.toString();
  }

  /** In a few parts, none of which ends within a character. */
  private static void stream(String text, ModelListener listener) throws InterruptedException {
    int size = Math.max(1, (text.length() + DELTAS - 1) / DELTAS);
    int from = 0;
    while (from < text.length()) {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      int to = Math.min(text.length(), from + size);
      if (to < text.length() && Character.isHighSurrogate(text.charAt(to - 1))) {
        to++;
      }
      listener.onText(text.substring(from, to));
      from = to;
    }
  }

  private static ModelAnswer answer(
      String text, List<ToolCall> calls, StopReason stop, long input) {
    long output = tokens(text) + calls.stream().mapToLong(call -> tokens(call.arguments())).sum();
    return new ModelAnswer(
        new Message.Assistant(text, calls, "", FULL_NAME),
        stop,
        new TokenUsage(input, output, 0, 0));
  }

  private static long input(ModelRequest request) {
    return tokens(request.system())
        + request.messages().stream().mapToLong(message -> tokens(heard(message))).sum();
  }

  private static long tokens(String text) {
    return (text.length() + 3L) / 4;
  }
}
