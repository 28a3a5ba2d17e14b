package dev.holdfast.ingress;

import dev.holdfast.store.Audit;
import dev.holdfast.store.AuditEntry;
import dev.holdfast.store.StoreException;
import io.vertx.core.json.JsonObject;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes into the audit what operators do over the API, with the name of their token. */
final class Records {
  private static final Logger LOG = LoggerFactory.getLogger(Records.class);

  private final Audit audit;

  Records(Audit audit) {
    this.audit = audit;
  }

  static String actor(ApiRequest request) {
    return "token:" + request.caller().name();
  }

  /**
   * To be called when it is done: an operator must be able to act while the disk is full. What
   * cannot be written now is written as soon as the disk takes it.
   */
  void done(ApiRequest request, String what, String threadId, JsonObject details) {
    AuditEntry entry =
        new AuditEntry("operator." + what, "", "", threadId, actor(request), details.encode());
    try {
      audit.append(entry);
    } catch (StoreException e) {
      LOG.warn(
          "audit: {} by {} is written later, the store refuses: {}",
          entry.what(),
          entry.actor(),
          e.failure().message());
      audit.later(entry);
    }
  }
}
