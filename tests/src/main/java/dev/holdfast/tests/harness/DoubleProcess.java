package dev.holdfast.tests.harness;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.kit.testing.BotApiDouble;
import dev.holdfast.kit.testing.DiscordDouble;
import dev.holdfast.kit.testing.SlackDouble;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The double of a platform in a process of its own, which can be suspended: its connections stay,
 * and nothing comes over them. What people write meanwhile they have written when it goes on.
 * Thread-safe.
 */
public final class DoubleProcess implements AutoCloseable {
  private static final long ANSWER_SECS = 30;

  private final Process process;
  private final Writer commands;
  private final Queue<CompletableFuture<JsonNode>> asked = new ArrayDeque<>();
  private final String origin;

  /** The platforms that there are doubles of. */
  public enum Kind {
    TELEGRAM,
    SLACK,
    DISCORD
  }

  /** What the process does to its double. */
  private interface Platform {
    String origin();

    boolean isConnected();

    String say(int person, String text);

    List<String> shown(int person);

    int calls();
  }

  /** Starts it, and waits until it listens. */
  public DoubleProcess(Kind kind) throws IOException {
    process =
        new ProcessBuilder(
                Setup.java(),
                "-Xmx128m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                DoubleProcess.class.getName(),
                kind.name())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    commands = new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8);
    BufferedReader answers =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    Thread.ofVirtual().start(() -> read(answers));
    origin = ask(Map.of("do", "origin")).asText();
  }

  private void read(BufferedReader answers) {
    try (answers) {
      for (@Nullable String line = answers.readLine(); line != null; line = answers.readLine()) {
        next().complete(Json.read(line));
      }
    } catch (IOException e) {
      // It was ended: who waits is told by the time limit.
    }
  }

  private synchronized CompletableFuture<JsonNode> next() {
    return asked.remove();
  }

  private synchronized CompletableFuture<JsonNode> send(Map<String, ?> command) {
    CompletableFuture<JsonNode> answer = new CompletableFuture<>();
    asked.add(answer);
    try {
      commands.write(Json.write(command) + "\n");
      commands.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return answer;
  }

  private JsonNode ask(Map<String, ?> command) {
    try {
      return send(command).get(ANSWER_SECS, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new AssertionError("the double does not answer " + command, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Where it is: {@code http}, a host and a port. */
  public String origin() {
    return origin;
  }

  /** Whether the server has got so far that it will be told what people write. */
  public boolean isConnected() {
    return ask(Map.of("do", "connected")).asBoolean();
  }

  /** One of some people writes to the account; returns at once, also while it is suspended. */
  public void say(int person, String text) {
    var _ = send(Map.of("do", "say", "person", person, "text", text));
  }

  /** What the account has written to one of some people. */
  public List<String> shown(int person) {
    List<String> texts = new ArrayList<>();
    ask(Map.of("do", "shown", "person", person)).forEach(text -> texts.add(text.asText()));
    return texts;
  }

  /** The requests so far, those for sockets not counted. */
  public int calls() {
    return ask(Map.of("do", "calls")).asInt();
  }

  /** SIGSTOP. */
  public void suspend() {
    Commands.run("kill", "-STOP", Long.toString(process.pid()));
  }

  /** SIGCONT. */
  public void resume() {
    Commands.run("kill", "-CONT", Long.toString(process.pid()));
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }

  /** The process: does what each line of its input says, until there are no more. */
  public static void main(String[] arguments) throws Exception {
    Platform platform = open(Kind.valueOf(arguments[0]));
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (@Nullable String line = in.readLine(); line != null; line = in.readLine()) {
      System.out.println(Json.write(done(platform, Json.read(line))));
    }
    Runtime.getRuntime().halt(0); // whoever has started it is gone
  }

  private static Object done(Platform platform, JsonNode command) {
    int person = command.path("person").asInt();
    return switch (command.path("do").asText()) {
      case "origin" -> platform.origin();
      case "connected" -> platform.isConnected();
      case "say" -> platform.say(person, command.path("text").asText());
      case "shown" -> platform.shown(person);
      case "calls" -> platform.calls();
      default -> throw new IllegalArgumentException(command.toString());
    };
  }

  private static Platform open(Kind kind) throws Exception {
    return switch (kind) {
      case TELEGRAM -> new OfTelegram(new BotApiDouble());
      case SLACK -> new OfSlack(new SlackDouble());
      case DISCORD -> new OfDiscord(new DiscordDouble());
    };
  }

  private record OfTelegram(BotApiDouble api) implements Platform {
    private static final int FIRST_PERSON = 100;

    @Override
    public String origin() {
      return api.url();
    }

    @Override
    public boolean isConnected() {
      return !api.calls("getUpdates").isEmpty();
    }

    @Override
    public String say(int person, String text) {
      return api.say(FIRST_PERSON + person, text);
    }

    @Override
    public List<String> shown(int person) {
      return api.shown(FIRST_PERSON + person, "").stream().map(BotApiDouble.Call::text).toList();
    }

    @Override
    public int calls() {
      return api.asked().size();
    }
  }

  private record OfSlack(SlackDouble slack) implements Platform {
    @Override
    public String origin() {
      return slack.baseUrl().replace("/api", "");
    }

    @Override
    public boolean isConnected() {
      return slack.hasSocket();
    }

    @Override
    public String say(int person, String text) {
      return slack.say(person, text);
    }

    @Override
    public List<String> shown(int person) {
      return slack.shown(person);
    }

    @Override
    public int calls() {
      return slack.asked().size();
    }
  }

  private record OfDiscord(DiscordDouble discord) implements Platform {
    @Override
    public String origin() {
      return discord.baseUrl().replace("/api/v10", "");
    }

    @Override
    public boolean isConnected() {
      return discord.isConnected();
    }

    @Override
    public String say(int person, String text) {
      return discord.say(person, text);
    }

    @Override
    public List<String> shown(int person) {
      return discord.shown(person);
    }

    @Override
    public int calls() {
      return discord.asked().size() + discord.connections();
    }
  }
}
