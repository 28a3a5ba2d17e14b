package dev.holdfast.ingress.openai;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ingress.wire.RefusedRequestException;
import io.vertx.core.json.JsonObject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OpenAiParametersTest {
  private static JsonObject json(String json) {
    return new JsonObject(json.replace('`', '"'));
  }

  private static void assertRefused(Throwable refused, String param, String code) {
    assertThat(refused).isInstanceOf(RefusedRequestException.class);
    JsonObject error = OpenAiErrors.body((RefusedRequestException) refused).getJsonObject("error");
    assertThat(error.getString("param")).isEqualTo(param);
    assertThat(error.getString("code")).isEqualTo(code);
    assertThat(error.getString("type")).isEqualTo("invalid_request_error");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          stream | {`stream`: `yes`} | invalid_value
          stream | {`stream`: 1} | invalid_value
          n | {`n`: `2`} | invalid_value
          n | {`n`: 1.5} | invalid_value
          n | {`n`: 2} | unsupported_parameter
          temperature | {`temperature`: `hot`} | invalid_value
          temperature | {`temperature`: 2.1} | invalid_value
          top_p | {`top_p`: -1} | invalid_value
          max_tokens | {`max_tokens`: 0} | invalid_value
          max_completion_tokens | {`max_completion_tokens`: `many`} | invalid_value
          seed | {`seed`: true} | invalid_value
          stop | {`stop`: [1]} | invalid_value
          user | {`user`: {}} | invalid_value
          metadata | {`metadata`: {`a`: 1}} | invalid_value
          stream_options | {`stream_options`: true} | invalid_value
          stream_options.include_usage | {`stream_options`: {`include_usage`: 1}} | invalid_value
          response_format | {`response_format`: `json`} | invalid_value
          response_format | {`response_format`: {`type`: `json_object`}} | unsupported_parameter
          functions | {`functions`: []} | unsupported_parameter
          audio | {`audio`: {}} | unsupported_parameter
          modalities | {`modalities`: [`text`, `audio`]} | unsupported_parameter
          web_search_options | {`web_search_options`: {}} | unsupported_parameter
          """)
  void aChatCompletionWithAWrongOneIsRefused(String param, String body, String code) {
    assertThatThrownBy(() -> OpenAiParameters.checkChat(json(body)))
        .satisfies(refused -> assertRefused(refused, param, code));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          background | {`background`: `true`} | invalid_value
          store | {`store`: 0} | invalid_value
          instructions | {`instructions`: [`x`]} | invalid_value
          previous_response_id | {`previous_response_id`: 7} | invalid_value
          max_output_tokens | {`max_output_tokens`: 1.5} | invalid_value
          truncation | {`truncation`: `sometimes`} | invalid_value
          include | {`include`: `all`} | invalid_value
          text | {`text`: `x`} | invalid_value
          text.format | {`text`: {`format`: {`type`: `json_schema`}}} | unsupported_parameter
          prompt | {`prompt`: {`id`: `x`}} | unsupported_parameter
          """)
  void aResponseWithAWrongOneIsRefused(String param, String body, String code) {
    assertThatThrownBy(() -> OpenAiParameters.checkResponse(json(body)))
        .satisfies(refused -> assertRefused(refused, param, code));
  }

  @Test
  void whatProgramsSendIsTaken() {
    assertThatCode(
            () -> {
              OpenAiParameters.checkChat(
                  json(
                      "{`n`: 1, `temperature`: 0.5, `top_p`: 1, `stop`: `x`, `seed`: -1,"
                          + " `max_tokens`: 100, `stream`: false, `user`: `65f1`, `metadata`: {},"
                          + " `modalities`: [`text`], `response_format`: {`type`: `text`},"
                          + " `unknown`: {}}"));
              OpenAiParameters.checkResponse(
                  json(
                      "{`text`: {`format`: {`type`: `text`}, `verbosity`: `low`}, `include`: [],"
                          + " `reasoning`: {`effort`: `low`}, `truncation`: `auto`}"));
            })
        .doesNotThrowAnyException();
  }

  @Test
  void whatIsNullWasNotSaid() throws Exception {
    JsonObject body = json("{`temperature`: null, `metadata`: null, `input`: `x`}");
    OpenAiParameters.checkResponse(body);
    assertThat(body).isEqualTo(json("{`input`: `x`}"));
  }
}
