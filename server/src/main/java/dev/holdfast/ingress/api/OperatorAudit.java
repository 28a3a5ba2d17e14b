package dev.holdfast.ingress.api;

import dev.holdfast.ingress.wire.ApiRequest;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.ledgers.Audit;
import dev.holdfast.store.ledgers.AuditEntry;
import io.vertx.core.json.JsonObject;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes into the audit what operators do over the API, with the name of their token. */
final class OperatorAudit {
  private static final Logger LOG = LoggerFactory.getLogger(OperatorAudit.class);

  private final Audit audit;

  OperatorAudit(Audit audit) {
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
          "audit: {} by {} will be recorded later, the store refused it: {}",
          entry.what(),
          entry.actor(),
          e.failure().message());
      audit.later(entry);
    }
  }
}
