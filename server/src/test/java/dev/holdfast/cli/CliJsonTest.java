package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import org.junit.jupiter.api.Test;

class CliJsonTest {
  private static final ObjectMapper REFERENCE = new ObjectMapper();

  @Test
  void everyKindOfValueIsReadAsJacksonReadsIt() throws Exception {
    for (String text :
        List.of(
            "{\"a\":[1,-2.5,1e3,true,false,null,\"x\\u00e9\",{},[]],\"b\":{\"c\":{\"d\":\"\"}}}",
            "{\"same\":1,\"same\":2}",
            "9223372036854775807",
            "123456789012345678901234567890",
            "[[[]]] trailing",
            "\"text\"")) {
      assertThat(CliJson.parse(text)).as(text).isEqualTo(REFERENCE.readTree(text));
    }
    assertThat(CliJson.parse("  ").isMissingNode()).isTrue();
  }

  @Test
  void whatIsNotWholeIsRefused() {
    for (String text : List.of("{", "[1,", "{\"a\":}", "{\"a\"", "<html>", "[".repeat(2000))) {
      assertThatThrownBy(() -> CliJson.parse(text))
          .as(text)
          .isInstanceOf(JsonProcessingException.class);
    }
  }
}
