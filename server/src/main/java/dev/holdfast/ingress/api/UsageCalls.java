package dev.holdfast.ingress.api;

import dev.holdfast.ingress.wire.ApiAnswer;
import dev.holdfast.ingress.wire.ApiRequest;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.ledgers.Usage;
import dev.holdfast.time.Time;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;

/** What the models have cost. */
final class UsageCalls {
  private static final int MONTH_SECS = 30 * 24 * 60 * 60;

  private final Usage usage;
  private final JsonObject budget;
  private final ZoneId zone;
  private final Time time;

  /** {@code budget}: the limits that are in force; days and months are those of {@code zone}. */
  UsageCalls(Usage usage, JsonObject budget, ZoneId zone, Time time) {
    this.usage = usage;
    this.budget = budget;
    this.zone = zone;
    this.time = time;
  }

  Map<String, ApiCall> calls() {
    return Map.of("getUsage", this::usage);
  }

  private ApiAnswer usage(ApiRequest request) throws StoreException {
    Instant since = time.now().minusSeconds(request.whole("since_secs", MONTH_SECS));
    List<Usage.Sum> sums = usage.sums(since);
    JsonArray views = new JsonArray();
    sums.forEach(sum -> views.add(view(sum)));
    return ApiAnswer.ok(
        new JsonObject()
            .put("since", since.toString())
            .put("sums", views)
            .put("total_cost_usd", sums.stream().mapToDouble(Usage.Sum::costUsd).sum())
            .put("budget", budget()));
  }

  /** The limits that are in force and what is used of those of all. */
  private JsonObject budget() throws StoreException {
    LocalDate today = LocalDate.ofInstant(time.now(), zone);
    return budget
        .copy()
        .put("today_usd", spentSince(today.atStartOfDay(zone).toInstant()))
        .put("month_usd", spentSince(today.withDayOfMonth(1).atStartOfDay(zone).toInstant()));
  }

  private double spentSince(Instant since) throws StoreException {
    return usage.spent(Usage.Whose.ALL, "", since, "").costUsd();
  }

  private static JsonObject view(Usage.Sum sum) {
    return new JsonObject()
        .put("provider", sum.provider())
        .put("model", sum.model())
        .put("outcome", sum.outcome())
        .put("calls", sum.calls())
        .put("input_tokens", sum.inputTokens())
        .put("output_tokens", sum.outputTokens())
        .put("cost_usd", sum.costUsd());
  }
}
