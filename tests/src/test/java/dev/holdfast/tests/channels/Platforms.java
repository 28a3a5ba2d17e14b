package dev.holdfast.tests.channels;

import java.util.EnumSet;
import java.util.Set;

/** The ways into the server that are tried alike. */
enum Platforms {
  TELEGRAM_POLL,
  TELEGRAM_WEBHOOK,
  SLACK_SOCKET,
  DISCORD_GATEWAY,
  MATTERMOST_SOCKET,
  MATRIX_SYNC,
  MATRIX_APPSERVICE,
  WHATSAPP;

  private static final Set<Platforms> BLIND = EnumSet.of(TELEGRAM_POLL, TELEGRAM_WEBHOOK, WHATSAPP);

  ChatWorld open() throws Exception {
    return switch (this) {
      case TELEGRAM_POLL -> new TelegramWorld(false);
      case TELEGRAM_WEBHOOK -> new TelegramWorld(true);
      case SLACK_SOCKET -> new SlackWorld();
      case DISCORD_GATEWAY -> new DiscordWorld();
      case MATTERMOST_SOCKET -> new MattermostWorld();
      case MATRIX_SYNC -> new MatrixWorld(false);
      case MATRIX_APPSERVICE -> new MatrixWorld(true);
      case WHATSAPP -> new WhatsAppWorld();
    };
  }

  /** Whether a reply of unknown outcome is looked for, or a repeat of it dropped. */
  boolean findsPosts() {
    return !BLIND.contains(this);
  }
}
