import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.ChannelAdapter;
import dev.holdfast.api.Choice;
import dev.holdfast.api.Click;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.ListenSpec;
import dev.holdfast.api.MessageSink;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.Plugin;
import dev.holdfast.api.PluginContext;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.SettledPost;
import dev.holdfast.api.Tool;
import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.api.ToolSpec;
import dev.holdfast.api.WebhookRequest;
import dev.holdfast.api.WebhookVerdict;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A platform that is a folder, with buttons: {@code in/KEY.msg} (thread, sender, text, a line each)
 * and {@code in/KEY.click} (thread, sender, token) are taken; {@code posts/ID}, {@code answers/KEY}
 * and {@code settled/ID} are left. A click may come by webhook too, with its key as fourth line. The
 * unsafe tool {@code stamp} adds a line to {@code runs/NAME}.
 */
public class Board implements Plugin, ChannelAdapter {
  private PluginContext context;
  private Path folder;

  @Override
  public void start(PluginContext context) throws IOException {
    this.context = context;
    folder = Path.of(context.channelConfig("board").text("folder", "board"));
    for (String each : List.of("in", "posts", "answers", "settled", "runs")) {
      Files.createDirectories(folder.resolve(each));
    }
    context.offer(this);
    context.offer(new Stamp(folder));
  }

  @Override
  public String channel() {
    return "board";
  }

  @Override
  public Set<String> accounts() {
    return Set.of("main");
  }

  @Override
  public int textUnitsMax() {
    return 4000;
  }

  @Override
  public boolean dropsRepeats() {
    return true;
  }

  @Override
  public boolean showsChoices() {
    return true;
  }

  @Override
  public Map<String, ListenSpec> listens() {
    return Map.of("main", new ListenSpec(folder.toString(), Duration.ofSeconds(30)));
  }

  @Override
  public void listen(String account, MessageSink sink) throws Exception {
    while (true) {
      try (DirectoryStream<Path> files = Files.newDirectoryStream(folder.resolve("in"), "*.{msg,click}")) {
        for (Path file : files) {
          take(sink, file);
          Files.delete(file);
        }
      }
      sink.received();
      context.sleep(Duration.ofMillis(10));
    }
  }

  private void take(MessageSink sink, Path file) throws IOException, InterruptedException {
    String name = file.getFileName().toString();
    String key = name.substring(0, name.lastIndexOf('.'));
    String[] lines = Files.readString(file).split("\n", -1);
    if (name.endsWith(".click")) {
      put("answers", key, sink.clicked(new Click("main", lines[0], lines[1], lines[2], key)));
      return;
    }
    try {
      sink.accept(new InboundMessage("main", lines[0], lines[1], lines[2], List.of(), key));
    } catch (CallFailedException e) {
      put("answers", key, "refused: " + e.getMessage());
    }
  }

  @Override
  public WebhookVerdict receive(WebhookRequest request) {
    String[] lines = new String(request.body(), StandardCharsets.UTF_8).split("\n", -1);
    return new WebhookVerdict.Clicked(
        new Click("main", lines[0], lines[1], lines[2], lines[3]),
        Optional.of(new WebhookVerdict.Answer(200, "text/plain", "taken")));
  }

  @Override
  public void answerClick(Click click, String text) throws IOException {
    put("answers", click.reference(), text);
  }

  @Override
  public PostOutcome post(OutboundReply reply) {
    StringBuilder post = new StringBuilder(reply.thread()).append('\n');
    for (Choice choice : reply.choices()) {
      post.append(choice.label()).append('=').append(choice.token()).append(' ');
    }
    try {
      put("posts", reply.id(), post.append('\n').append(reply.text()).toString());
      return new PostOutcome.Sent(reply.id());
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void settle(SettledPost post) throws IOException {
    put("settled", post.platformId(), post.text());
  }

  private void put(String kind, String name, String text) throws IOException {
    Path part = Files.createTempFile(folder, "part", "");
    Files.writeString(part, text);
    Files.move(part, folder.resolve(kind).resolve(name), StandardCopyOption.ATOMIC_MOVE);
  }

  private record Stamp(Path folder) implements Tool {
    @Override
    public ToolSpec spec() {
      return new ToolSpec(
          "stamp",
          "Stamps.",
          "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"}}}");
    }

    @Override
    public ToolResult run(String arguments, ToolContext call) {
      String name = arguments.replaceAll("(?s).*\"name\"\\s*:\\s*\"([a-z0-9-]+)\".*", "$1");
      try {
        Path runs = folder.resolve("runs").resolve(name);
        Files.writeString(runs, "ran\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        return ToolResult.ok("stamped");
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
