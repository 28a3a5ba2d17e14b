package dev.holdfast.tests.harness;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpHeaders;

/** What the server answered. */
public record Answer(int status, HttpHeaders headers, String body) {
  public boolean isAccepted() {
    return status >= 200 && status < 300;
  }

  public JsonNode json() {
    return Json.read(body);
  }

  public String header(String name) {
    return headers.firstValue(name).orElse("");
  }
}
