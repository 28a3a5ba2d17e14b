package dev.holdfast.discord;

import dev.holdfast.api.Access;
import dev.holdfast.api.CallFailedException;
import dev.holdfast.api.ChannelCheck;
import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.PluginSocket;
import dev.holdfast.kit.JsonText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Whether an account has what it needs. Blocks the calling thread. */
final class DiscordChecks {
  private static final Duration ASK_MAX = Duration.ofSeconds(4);
  private static final int CHATS_MAX = 5;

  private final DiscordBot bot;
  private final DiscordAccount account;
  private final List<ChannelCheck> checks = new ArrayList<>();

  private DiscordChecks(DiscordBot bot) {
    this.bot = bot;
    this.account = bot.account();
  }

  static List<ChannelCheck> of(DiscordBot bot) throws InterruptedException {
    DiscordChecks checks = new DiscordChecks(bot);
    checks.checkAll();
    return List.copyOf(checks.checks);
  }

  private void checkAll() throws InterruptedException {
    DiscordIdentity me;
    try {
      me = bot.ask(ASK_MAX);
    } catch (CallFailedException e) {
      boolean isRefused = e.failure().code() == FailureCode.AUTH;
      missing(isRefused ? "the bot token is valid" : "Discord is reachable", sentence(e.failure()));
      return;
    }
    met(
        "the bot token is valid, for the bot %s (%s) of the application %s"
            .formatted(shown(me.name()), me.user(), me.app()));
    checkContent(me);
    checkInteractions(me);
    if (account.listens()) {
      checkGateway();
    }
    checkCommands();
    checkAccess();
    checkChats(me);
  }

  private void met(String what) {
    checks.add(ChannelCheck.met(what));
  }

  private void missing(String what, String remedy) {
    checks.add(ChannelCheck.missing(what, remedy));
  }

  private void checkContent(DiscordIdentity me) {
    String what = "the application may read messages that do not mention the bot";
    if (!account.listens()) {
      return;
    }
    if (!account.readsAll()) {
      met("it reads what mentions the bot, and direct messages (message_content: false)");
    } else if (me.mayReadAll()) {
      met(what);
    } else {
      missing(
          what,
          "Turn on Message Content Intent under Bot in the Developer Portal, or set"
              + " message_content: false");
    }
  }

  private void checkInteractions(DiscordIdentity me) {
    boolean hasKey = !account.publicKey().isEmpty();
    if (hasKey && !me.verifyKey().isEmpty()) {
      String what = "public_key is the one of the application";
      if (account.publicKey().equals(me.verifyKey().toLowerCase(Locale.ROOT))) {
        met(what);
      } else {
        missing(what, "Copy the Public Key from General Information in the Developer Portal");
      }
    }
    String what = "slash commands and buttons reach this server";
    if (!me.endpoint().isEmpty() && !hasKey) {
      missing(
          what,
          "Discord sends them to the Interactions Endpoint URL under General Information: delete it"
              + " there, or set public_key");
    } else if (me.endpoint().isEmpty() && !account.listens()) {
      missing(
          what,
          "Write https://YOUR.HOST/webhooks/discord/%s into Interactions Endpoint URL under General"
                  .formatted(account.name())
              + " Information");
    } else if (!me.endpoint().isEmpty() && !isOwn(me.endpoint())) {
      missing(
          what,
          "Discord sends them to %s: write https://YOUR.HOST/webhooks/discord/%s into Interactions"
                  .formatted(shown(me.endpoint()), account.name())
              + " Endpoint URL under General Information");
    } else {
      met(what + (me.endpoint().isEmpty() ? " over the Gateway" : " by HTTP"));
    }
  }

  private boolean isOwn(String endpoint) {
    return endpoint.endsWith("/webhooks/discord/" + account.name());
  }

  private void checkGateway() throws InterruptedException {
    String what = "the Gateway can be connected to";
    try {
      Map<String, Object> gateway = bot.api().get("/gateway/bot", ASK_MAX).orThrow();
      Map<String, Object> limit = JsonText.map(gateway, "session_start_limit");
      if (!saysHello(JsonText.text(gateway, "url"))) {
        missing(
            what,
            "It opens and does not say hello: something between takes the WebSocket and does not"
                + " pass it on");
        return;
      }
      met(
          what
              + " (%d of %d sessions are left today)"
                  .formatted(
                      JsonText.whole(limit, "remaining", 0), JsonText.whole(limit, "total", 0)));
    } catch (CallFailedException e) {
      missing(what, sentence(e.failure()));
    }
  }

  /** Opens a connection and leaves before a session begins: of those there are few in a day. */
  private boolean saysHello(String url) throws CallFailedException, InterruptedException {
    try (PluginSocket socket = Gateway.open(bot, url, ASK_MAX)) {
      Optional<PluginSocket.Event> first = socket.receive(ASK_MAX);
      return first.isPresent()
          && first.get() instanceof PluginSocket.Text(String text)
          && GatewayConnection.isHello(text);
    }
  }

  private void checkCommands() throws InterruptedException {
    if (!account.registersCommands()) {
      return;
    }
    String what = "Discord knows the slash commands";
    try {
      if (DiscordCommands.registered(bot) == DiscordCommands.NAMES.size()) {
        met(what);
      } else {
        missing(what, "They are registered when the plugin starts: look into its log");
      }
    } catch (CallFailedException e) {
      missing(what, sentence(e.failure()));
    }
  }

  private void checkAccess() {
    Access access = account.access();
    boolean answersNobody =
        access.users().isEmpty()
            && access.chats().isEmpty()
            && access.strangers() == Access.Strangers.DENY;
    if (answersNobody) {
      missing(
          "somebody is answered",
          "Write strangers: pair into the section of the account, or ids into its allow.users");
    } else {
      met("somebody is answered");
    }
  }

  private void checkChats(DiscordIdentity me) throws InterruptedException {
    List<String> chats =
        account.access().chats().stream()
            .filter(DiscordMessageReader::isId)
            .sorted()
            .limit(CHATS_MAX)
            .toList();
    for (String chat : chats) {
      String what = "the bot may read and write in the channel " + chat;
      try {
        String parent =
            bot.channels().find(chat).map(KnownChannels.ChannelFacts::parent).orElse("");
        if (!parent.isEmpty()) {
          missing(
              "allow.chats has channels alone: " + chat + " is a thread",
              "Write the id of its channel in place of it: " + parent);
          continue;
        }
        List<String> missing = ChannelRights.missing(bot, me, chat);
        if (missing.isEmpty()) {
          met(what);
        } else {
          missing(what, "Give it there: " + String.join(", ", missing));
        }
      } catch (CallFailedException e) {
        missing(what, sentence(e.failure()));
      }
    }
  }

  private static String shown(String name) {
    return name.substring(0, Math.min(name.length(), 100)).replaceAll("\\p{C}", "?");
  }

  private static String sentence(Failure failure) {
    String said = failure.message();
    return said.substring(0, 1).toUpperCase(Locale.ROOT) + said.substring(1);
  }
}
