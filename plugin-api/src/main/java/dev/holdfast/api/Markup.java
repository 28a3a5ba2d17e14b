package dev.holdfast.api;

/** How a platform wants text to be marked up. Those that take Markdown as it is need none. */
public enum Markup {
  /** No markup: what marks something up is left out, links stand behind their text. */
  PLAIN,

  /** The tags that Telegram takes in {@code parse_mode: HTML}. */
  TELEGRAM_HTML,

  /** Slack's {@code mrkdwn}. */
  SLACK_MRKDWN,

  /** The marks of WhatsApp. */
  WHATSAPP,

  /** The tags that Matrix takes in {@code org.matrix.custom.html}. */
  MATRIX_HTML
}
