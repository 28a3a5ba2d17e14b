package dev.holdfast.tests.harness;

import dev.holdfast.kit.testing.Card;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A server with a platform of buttons that is a folder, {@code plugins/Board.java}, where unsafe
 * calls wait for a person. The embedded model calls what it is told to call.
 */
public final class BoardRig implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final ServerRig rig;
  private final Path folder;

  public BoardRig() {
    this(new ServerRig());
  }

  /** Adds the board to a server that is not started yet. */
  public BoardRig(ServerRig rig) {
    this.rig = rig;
    folder = rig.folder().resolve("board");
    Path plugins = rig.folder().resolve("plugins");
    rig.setup()
        .set("server.plugins_dir", plugins.toString())
        .set("tools.autonomy", "supervised")
        .set("channels.board.folder", folder.toString());
    try {
      CompiledPlugin.ofResource("board", "Board").into(plugins);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public ServerRig rig() {
    return rig;
  }

  /** Where the board lies. */
  public Path folder() {
    return folder;
  }

  public BoardRig start() {
    rig.start();
    return this;
  }

  /** The id of the chat thread as the server has it. */
  public static String threadId(String thread) {
    return "board:main:" + thread;
  }

  /** Says something on the board. */
  public void say(String key, String thread, String sender, String text) throws IOException {
    put(key + ".msg", thread + "\n" + sender + "\n" + text);
  }

  /** Clicks on the board. */
  public void click(String key, String thread, String sender, String token) throws IOException {
    put(key + ".click", thread + "\n" + sender + "\n" + token);
  }

  /** Clicks by webhook. */
  public Answer post(String key, String thread, String sender, String token) throws IOException {
    return new Http()
        .post(
            rig.setup().url("/webhooks/board/main"),
            Map.of("content-type", "text/plain"),
            thread + "\n" + sender + "\n" + token + "\n" + key);
  }

  private void put(String name, String text) throws IOException {
    Path in = Files.createDirectories(folder.resolve("in"));
    Path part = Files.writeString(in.resolve(name + ".part"), text);
    Files.move(part, in.resolve(name), StandardCopyOption.ATOMIC_MOVE);
  }

  /** Has ann ask for a call that stamps {@code name}; waits for the post with the buttons. */
  public Card ask(String key, String thread, String name) throws IOException {
    say(key, thread, "ann", ShellRig.call("stamp", Map.of("name", name)));
    return Await.value("a question in " + thread, LIMIT, () -> card(thread));
  }

  /** A question that ann is asked in a thread of its own. */
  public ClickKills.Question question(int round, boolean byWebhook) throws IOException {
    Card card = ask("m-" + round, "t-" + round, "n-" + round);
    return new OnBoard(this, round, card, byWebhook);
  }

  private Optional<Card> card(String thread) throws IOException {
    return posts(thread).stream().filter(card -> !card.tokens().isEmpty()).findFirst();
  }

  /** What was posted in a thread. */
  public List<Card> posts(String thread) throws IOException {
    try (Stream<Path> files = Files.list(folder.resolve("posts"))) {
      return files
          .map(BoardRig::read)
          .filter(lines -> lines[1].equals(thread))
          .map(lines -> new Card(lines[0], lines[3], tokens(lines[2])))
          .toList();
    }
  }

  private static String[] read(Path file) {
    try {
      return (file.getFileName() + "\n" + Files.readString(file)).split("\n", 4);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Map<String, String> tokens(String line) {
    Map<String, String> tokens = new HashMap<>();
    for (String choice : line.isBlank() ? new String[0] : line.strip().split(" ", -1)) {
      tokens.put(choice.split("=", 2)[0], choice.split("=", 2)[1]);
    }
    return tokens;
  }

  /** What a person was told of a click; waits for it. */
  public String answer(String key) {
    return left("answers", key);
  }

  /** What a post says since its buttons are gone; waits for it. */
  public String settled(String id) {
    return left("settled", id);
  }

  private String left(String kind, String name) {
    Path file = folder.resolve(kind).resolve(name);
    return Await.value(
        kind + " " + name,
        LIMIT,
        () -> Files.exists(file) ? Optional.of(Files.readString(file)) : Optional.empty());
  }

  /** How often the call ran. */
  public int runs(String name) throws IOException {
    Path file = folder.resolve("runs").resolve(name);
    return Files.exists(file) ? Files.readAllLines(file).size() : 0;
  }

  @Override
  public void close() {
    rig.close();
  }

  /** On the board a click lies until the server has taken it; by webhook the server says so. */
  private record OnBoard(BoardRig board, int round, Card card, boolean byWebhook)
      implements ClickKills.Question {
    private String thread() {
      return "t-" + round;
    }

    @Override
    public String threadId() {
      return BoardRig.threadId(thread());
    }

    @Override
    public String person() {
      return "ann";
    }

    @Override
    public String name() {
      return person();
    }

    @Override
    public void press(boolean yes) throws IOException {
      String key = "c-" + round;
      String token = card.token(yes ? "Approve" : "Deny");
      if (!byWebhook) {
        board.click(key, thread(), "ann", token);
      } else if (board.post(key, thread(), "ann", token).status() != 200) {
        throw new IOException("it was not taken");
      }
    }

    @Override
    public String told() {
      return board.answer("c-" + round);
    }

    @Override
    public int runs() throws IOException {
      return board.runs("n-" + round);
    }

    @Override
    public String settled() {
      return board.settled(card.id());
    }
  }
}
