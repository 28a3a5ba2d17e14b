package dev.holdfast.models.http;

/**
 * The native codes of MiniMax, which come with HTTP 200, as the HTTP status that means the same.
 */
final class MinimaxCodes {
  private MinimaxCodes() {}

  static int status(int code) {
    return switch (code) {
      case 1001 -> 504;
      case 1002, 1039 -> 429;
      case 1004, 2049 -> 401;
      case 1008, 2056 -> 402;
      case 1026, 1027 -> 422;
      case 2013 -> 400;
      default -> 500;
    };
  }
}
