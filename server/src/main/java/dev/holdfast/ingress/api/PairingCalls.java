package dev.holdfast.ingress.api;

import dev.holdfast.access.ChannelPerson;
import dev.holdfast.access.PairedPerson;
import dev.holdfast.access.PairingFlow;
import dev.holdfast.access.PairingVerdict;
import dev.holdfast.access.PendingPairing;
import dev.holdfast.api.FailureCode;
import dev.holdfast.ingress.wire.ApiAnswer;
import dev.holdfast.ingress.wire.ApiRequest;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.store.engine.StoreException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import java.util.Objects;

/** The people who ask to be answered, and those who are. */
final class PairingCalls {
  private final PairingFlow flow;

  PairingCalls(PairingFlow flow) {
    this.flow = flow;
  }

  Map<String, ApiCall> calls() {
    return Map.of(
        "listPairings", _ -> list(),
        "approvePairing", this::approve,
        "revokePairing", this::revoke);
  }

  private ApiAnswer list() {
    JsonArray pending = new JsonArray();
    flow.pending().forEach(asked -> pending.add(view(asked)));
    JsonArray paired = new JsonArray();
    flow.people().forEach(person -> paired.add(view(person)));
    return ApiAnswer.ok(new JsonObject().put("pending", pending).put("paired", paired));
  }

  private ApiAnswer approve(ApiRequest request) throws RefusedRequestException, StoreException {
    String code = Objects.requireNonNullElse(request.bodyText("code"), "");
    if (!PairingFlow.isCode(code)) {
      throw RefusedRequestException.invalid(
          "a code has 8 letters and digits, as the person was told in the chat");
    }
    return switch (flow.approve(code, OperatorAudit.actor(request))) {
      case PairingVerdict.Paired(PairedPerson paired, PendingPairing _) ->
          ApiAnswer.ok(view(paired));
      case PairingVerdict.WrongCode _ ->
          throw RefusedRequestException.unknown(
              "no such code, or it has expired: the person who writes again is told a new one");
      case PairingVerdict.TooManyGuesses(var retryAfter) ->
          throw new RefusedRequestException(
              429,
              FailureCode.RATE_LIMITED,
              "too many wrong codes: no code is looked at for " + retryAfter.toSeconds() + " s",
              retryAfter);
      case PairingVerdict.TooManyPeople(int most) ->
          throw new RefusedRequestException(
              409,
              FailureCode.INVALID_REQUEST,
              most
                  + " people are paired, which is the most: revoke one, or allow people by"
                  + " allow.users in the configuration");
    };
  }

  private ApiAnswer revoke(ApiRequest request) throws RefusedRequestException, StoreException {
    String[] account = request.text("account", "").split(":", 2);
    if (account.length < 2) {
      throw RefusedRequestException.invalid("account must be CHANNEL:ACCOUNT");
    }
    ChannelPerson person = new ChannelPerson(account[0], account[1], request.text("sender", ""));
    if (!flow.revoke(person, OperatorAudit.actor(request))) {
      throw RefusedRequestException.unknown("no such person is paired or asks to be");
    }
    return ApiAnswer.ok(of(person));
  }

  private static JsonObject of(ChannelPerson person) {
    return new JsonObject().put("account", person.source()).put("sender", person.sender());
  }

  private static JsonObject view(PendingPairing asked) {
    return of(asked.person())
        .put("name", asked.name())
        .put("asked_at", asked.askedAt().toString())
        .put("expires_at", asked.expiresAt().toString());
  }

  private static JsonObject view(PairedPerson paired) {
    return of(paired.person())
        .put("name", paired.name())
        .put("approved_at", paired.approvedAt().toString())
        .put("approved_by", paired.approvedBy());
  }
}
