package dev.holdfast.ingress;

import dev.holdfast.bus.News;
import dev.holdfast.channels.Channels;
import dev.holdfast.health.Ticks;
import dev.holdfast.ingress.api.ApiCalls;
import dev.holdfast.ingress.api.ApiConfig;
import dev.holdfast.ingress.api.ThreadControl;
import dev.holdfast.ingress.login.Sessions;
import dev.holdfast.ingress.login.Tokens;
import dev.holdfast.ingress.pages.Probes;
import dev.holdfast.ingress.webhooks.InboxIntake;
import dev.holdfast.ingress.wire.HttpConfig;
import dev.holdfast.ingress.wire.MetricsConfig;
import dev.holdfast.media.AttachmentsConfig;
import dev.holdfast.time.Time;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.Vertx;
import java.util.function.Predicate;

/**
 * All that the listeners need.
 *
 * @param vertx made with the metrics of {@code meters}, or there are no {@code vertx_*} families
 * @param intake {@code store.inbox()::append}
 * @param hasEnded whether the event of an id ended, from the store
 * @param calls the operations of the API: {@link ApiCalls#of}
 */
public record IngressParts(
    Vertx vertx,
    HttpConfig http,
    MetricsConfig metrics,
    ApiConfig api,
    InboxIntake intake,
    Predicate<String> hasEnded,
    ThreadControl turns,
    Channels channels,
    News news,
    Probes probes,
    Time time,
    PrometheusMeterRegistry meters,
    Tokens tokens,
    Sessions sessions,
    Ticks ticks,
    ApiCalls calls,
    AttachmentsConfig attachments) {}
