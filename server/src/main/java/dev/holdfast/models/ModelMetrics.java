package dev.holdfast.models;

import dev.holdfast.api.FailureCode;
import dev.holdfast.api.TokenUsage;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/** Counts the calls. Every name is served from the start, with zeros. */
final class ModelMetrics {
  private final MeterRegistry registry;
  private final Timer total;
  private final Timer firstToken;
  private final Counter cost;
  private final Counter input;
  private final Counter output;
  private final Counter cacheRead;
  private final Counter cacheWrite;

  ModelMetrics(MeterRegistry registry, List<String> models) {
    this.registry = registry;
    this.total = Timer.builder("holdfast.model").description("Calls to models").register(registry);
    this.firstToken =
        Timer.builder("holdfast.model.first.token")
            .description("From the request to the first text")
            .register(registry);
    this.cost =
        Counter.builder("holdfast.model.cost.usd")
            .description("Estimated by the price list")
            .register(registry);
    this.input = tokens("input");
    this.output = tokens("output");
    this.cacheRead = tokens("cache_read");
    this.cacheWrite = tokens("cache_write");
    for (String model : models) {
      int slash = model.indexOf('/');
      outcomes()
          .forEach(
              outcome -> calls(model.substring(0, slash), model.substring(slash + 1), outcome));
    }
  }

  private static Stream<String> outcomes() {
    return Stream.concat(
        Stream.of(ModelCall.OK),
        Stream.of(FailureCode.values()).map(code -> code.name().toLowerCase(Locale.ROOT)));
  }

  /** A provider that does nothing before an operator acts. */
  void refused(String provider, BooleanSupplier refuses) {
    Gauge.builder("holdfast.models.refused", refuses, it -> it.getAsBoolean() ? 1 : 0)
        .description("1: the provider refuses the key, or the quota is used up")
        .tag("provider", provider)
        .strongReference(true)
        .register(registry);
  }

  void count(ModelCall call) {
    calls(call.provider(), call.model(), call.outcome()).increment();
    total.record(call.total());
    Duration first = call.firstToken();
    if (first != null) {
      firstToken.record(first);
    }
    TokenUsage usage = call.usage();
    input.increment((double) usage.input());
    output.increment((double) usage.output());
    cacheRead.increment((double) usage.cacheRead());
    cacheWrite.increment((double) usage.cacheWrite());
    cost.increment(call.costUsd());
  }

  private Counter tokens(String kind) {
    return Counter.builder("holdfast.model.tokens").tag("kind", kind).register(registry);
  }

  private Counter calls(String provider, String model, String outcome) {
    return Counter.builder("holdfast.model.calls")
        .tag("provider", provider)
        .tag("model", model)
        .tag("outcome", outcome)
        .register(registry);
  }
}
