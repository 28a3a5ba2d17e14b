package dev.holdfast.ingress.wire;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Reads a body through once before anything believes it: one JSON object in plain UTF-8, within
 * bounds, that every parser reads in the same way. Linear in the body.
 */
public final class StrictJson {
  private static final int DEPTH_MAX = 64;
  private static final int NUMBER_CHARS_MAX = 100;
  private static final int NAME_CHARS_MAX = 1024;

  /** No request has more than a few; the schema validator takes its time with each. */
  private static final int NAMES_MAX = 1000;

  /** So that a megabyte of numbers costs no more than a megabyte of text. */
  private static final int TOKENS_MAX = 20_000;

  /** A whole conversation with the tools that a model may call. */
  private static final int NAMES_MAX_LARGE = 50_000;

  private static final int TOKENS_MAX_LARGE = 400_000;

  private static final JsonFactory FACTORY = factory(TOKENS_MAX);
  private static final JsonFactory LARGE_FACTORY = factory(TOKENS_MAX_LARGE);

  private static JsonFactory factory(int tokensMax) {
    return new JsonFactoryBuilder()
        // Names are the sender's: neither kept for later nor looked up by a hash that a sender
        // could aim at.
        .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
        .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
        .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
        .streamReadConstraints(
            StreamReadConstraints.builder()
                .maxNestingDepth(DEPTH_MAX)
                .maxNumberLength(NUMBER_CHARS_MAX)
                .maxNameLength(NAME_CHARS_MAX)
                .maxTokenCount(tokensMax)
                .build())
        .build();
  }

  private StrictJson() {}

  /**
   * @throws RefusedRequestException 400 with the reason, when the body is anything else than a
   *     plain JSON object
   */
  public static void check(byte[] body) throws RefusedRequestException {
    check(body, FACTORY, NAMES_MAX);
  }

  /** As {@link #check}, with room for a conversation; for bodies that no contract is held to. */
  public static void checkLarge(byte[] body) throws RefusedRequestException {
    check(body, LARGE_FACTORY, NAMES_MAX_LARGE);
  }

  private static void check(byte[] body, JsonFactory factory, int namesMax)
      throws RefusedRequestException {
    String text = text(body);
    try (JsonParser parser = factory.createParser(text)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw RefusedRequestException.invalid("the body must be a JSON object");
      }
      int depth = 1;
      int names = 0;
      while (depth > 0) {
        JsonToken token = parser.nextToken();
        if (token == null) {
          throw RefusedRequestException.invalid("the body is not valid JSON");
        }
        depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
        names += token == JsonToken.FIELD_NAME ? 1 : 0;
        if (names > namesMax) {
          throw RefusedRequestException.invalid("the body has too many names");
        }
        checkValue(parser, token);
      }
      if (parser.nextToken() != null) {
        throw RefusedRequestException.invalid("there is more than one JSON value in the body");
      }
    } catch (IOException _) {
      // The parser's own words quote the body: they stay here.
      throw RefusedRequestException.invalid("the body is not valid JSON within the limits");
    }
  }

  private static String text(byte[] body) throws RefusedRequestException {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString();
    } catch (CharacterCodingException _) {
      throw RefusedRequestException.invalid("the body is not UTF-8");
    }
  }

  private static void checkValue(JsonParser parser, JsonToken token)
      throws IOException, RefusedRequestException {
    if (token == JsonToken.FIELD_NAME || token == JsonToken.VALUE_STRING) {
      if (!isText(parser.getText())) {
        throw RefusedRequestException.invalid("a text holds a NUL or half a surrogate pair");
      }
    } else if (token == JsonToken.VALUE_NUMBER_FLOAT) {
      double value = parser.getDoubleValue();
      if (Double.isInfinite(value) || Double.isNaN(value)) {
        throw RefusedRequestException.invalid("a number is out of range");
      }
    }
  }

  private static boolean isText(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == 0 || Character.isLowSurrogate(c)) {
        return false;
      }
      if (Character.isHighSurrogate(c)) {
        i++;
        if (i == text.length() || !Character.isLowSurrogate(text.charAt(i))) {
          return false;
        }
      }
    }
    return true;
  }
}
