package dev.holdfast.ingress.login;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Writes down which sessions have ended, for as long as their cookies would be valid. */
public interface Logouts {
  /**
   * @param name of the token that the session belongs to
   * @param nonce of its cookie; empty: all sessions of the token that expire until then
   * @param expires when the cookie would have ended, in seconds since 1970
   */
  record Logout(String name, String nonce, long expires) {}

  /** All that count still. Blocks. */
  List<Logout> load();

  /** Returns at once; completes when it is durable, on any thread. */
  CompletableFuture<?> write(Logout logout);
}
