package dev.holdfast.ingress.openai;

import dev.holdfast.ingress.wire.RefusedRequestException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a request says beside its messages and tools. A value of the wrong type is refused, also of
 * a parameter that has no effect here: its client would take it for understood. Names that are not
 * known are none of our business.
 */
final class OpenAiParameters {
  private static final Kind FLAG = new Kind("true or false", Boolean.class::isInstance);
  private static final Kind TEXT = new Kind("a text", String.class::isInstance);
  private static final Kind OBJECT = new Kind("an object", JsonObject.class::isInstance);
  private static final Kind WHOLE = new Kind("a whole number", OpenAiParameters::isWhole);
  private static final Kind TEXTS = new Kind("a list of texts", OpenAiParameters::isTexts);
  private static final Kind STOP =
      new Kind("a text or a list of texts", value -> value instanceof String || isTexts(value));

  private static final int METADATA_MAX = 16;
  private static final int METADATA_CHARS_MAX = 512;
  private static final Kind METADATA =
      new Kind(
          "an object of at most 16 texts, each of at most 512 characters",
          OpenAiParameters::isMetadata);

  private static final Map<String, Kind> COMMON =
      Map.ofEntries(
          Map.entry("stream", FLAG),
          Map.entry("stream_options", OBJECT),
          Map.entry("store", FLAG),
          Map.entry("parallel_tool_calls", FLAG),
          Map.entry("temperature", number(0, 2)),
          Map.entry("top_p", number(0, 1)),
          Map.entry("presence_penalty", number(-2, 2)),
          Map.entry("frequency_penalty", number(-2, 2)),
          Map.entry("top_logprobs", whole(0, 20)),
          Map.entry("metadata", METADATA),
          Map.entry("user", TEXT),
          Map.entry("safety_identifier", TEXT),
          Map.entry("prompt_cache_key", TEXT),
          Map.entry("service_tier", TEXT));

  private static final Map<String, Kind> CHAT =
      Map.of(
          "n", WHOLE,
          "seed", WHOLE,
          "logprobs", FLAG,
          "stop", STOP,
          "max_tokens", whole(1, Integer.MAX_VALUE),
          "max_completion_tokens", whole(1, Integer.MAX_VALUE),
          "logit_bias", OBJECT,
          "response_format", OBJECT,
          "reasoning_effort", TEXT,
          "modalities", TEXTS);

  private static final Map<String, Kind> RESPONSE =
      Map.of(
          "background", FLAG,
          "instructions", TEXT,
          "previous_response_id", TEXT,
          "max_output_tokens", whole(1, Integer.MAX_VALUE),
          "max_tool_calls", whole(1, Integer.MAX_VALUE),
          "truncation", oneOf(Set.of("auto", "disabled")),
          "include", TEXTS,
          "reasoning", OBJECT,
          "text", OBJECT);

  private OpenAiParameters() {}

  /** {@code said}: what a value must be, for people. */
  private record Kind(String said, Check check) {}

  @FunctionalInterface
  private interface Check {
    boolean holds(Object value);
  }

  private static Kind number(double least, double most) {
    return new Kind(
        "a number from %.0f to %.0f".formatted(least, most),
        value -> value instanceof Number n && n.doubleValue() >= least && n.doubleValue() <= most);
  }

  private static Kind whole(int least, int most) {
    String range =
        most == Integer.MAX_VALUE ? "of at least " + least : "from " + least + " to " + most;
    return new Kind(
        "a whole number " + range,
        value ->
            isWhole(value)
                && ((Number) value).doubleValue() >= least
                && ((Number) value).doubleValue() <= most);
  }

  private static Kind oneOf(Set<String> values) {
    return new Kind(String.join(" or ", values.stream().sorted().toList()), values::contains);
  }

  private static boolean isWhole(Object value) {
    return value instanceof Number n && n.doubleValue() == Math.rint(n.doubleValue());
  }

  private static boolean isTexts(Object value) {
    return value instanceof JsonArray list && list.stream().allMatch(String.class::isInstance);
  }

  private static boolean isMetadata(Object value) {
    return value instanceof JsonObject object
        && object.size() <= METADATA_MAX
        && object.getMap().values().stream()
            .allMatch(each -> each instanceof String s && s.length() <= METADATA_CHARS_MAX);
  }

  /** Of a chat completion; what is null is removed, as if it had not been said. */
  static void checkChat(JsonObject body) throws RefusedRequestException {
    check(body, CHAT);
    if (body.getValue("n") instanceof Number n && n.doubleValue() != 1) {
      throw OpenAiErrors.unsupported("n", "n must be 1");
    }
    refuseUnlessText(body.getValue("response_format"), "response_format");
    for (String name : Set.of("functions", "function_call")) {
      refuse(body, name, "use tools in place of functions");
    }
    refuse(body, "audio", "there is no audio here");
    refuse(body, "web_search_options", "the models here do not search the web by themselves");
    if (body.getValue("modalities") instanceof JsonArray list
        && !list.stream().allMatch("text"::equals)) {
      throw OpenAiErrors.unsupported("modalities", "modalities must be text alone");
    }
    flagOf(body, "stream_options", "include_usage");
  }

  /** Of a response, as {@link #checkChat}. */
  static void checkResponse(JsonObject body) throws RefusedRequestException {
    check(body, RESPONSE);
    if (body.getValue("text") instanceof JsonObject text) {
      refuseUnlessText(text.getValue("format"), "text.format");
    }
    refuse(body, "prompt", "prompts are not kept here");
  }

  private static void check(JsonObject body, Map<String, Kind> own) throws RefusedRequestException {
    body.getMap().values().removeIf(Objects::isNull);
    for (String name : body.fieldNames()) {
      Kind kind = own.getOrDefault(name, COMMON.get(name));
      if (kind != null && !kind.check().holds(body.getValue(name))) {
        throw OpenAiErrors.invalid(name, name + " must be " + kind.said());
      }
    }
  }

  private static void flagOf(JsonObject body, String object, String name)
      throws RefusedRequestException {
    Object value =
        body.getValue(object) instanceof JsonObject options ? options.getValue(name) : null;
    if (value != null && !(value instanceof Boolean)) {
      String at = object + "." + name;
      throw OpenAiErrors.invalid(at, at + " must be true or false");
    }
  }

  /** What a client would take for done. What only tunes an answer is left to the models. */
  private static void refuse(JsonObject body, String name, String why)
      throws RefusedRequestException {
    if (body.getValue(name) != null) {
      throw OpenAiErrors.unsupported(name, why);
    }
  }

  private static void refuseUnlessText(@Nullable Object format, String at)
      throws RefusedRequestException {
    if (format != null
        && !(format instanceof JsonObject object && "text".equals(object.getValue("type")))) {
      throw OpenAiErrors.unsupported(at, at + " must be of type text");
    }
  }
}
