package dev.holdfast.agents.turn;

import java.security.SecureRandom;

/** Makes the codes under which people answer in a chat. Thread-safe. */
final class ChatCodes {
  /** No letters that are taken for each other. */
  private static final String LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789";

  private static final int LENGTH = 5;

  private final SecureRandom random = new SecureRandom();

  String next() {
    StringBuilder code = new StringBuilder();
    for (int i = 0; i < LENGTH; i++) {
      code.append(LETTERS.charAt(random.nextInt(LETTERS.length())));
    }
    return code.toString();
  }
}
