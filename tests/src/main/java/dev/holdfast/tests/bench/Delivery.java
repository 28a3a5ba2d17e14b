package dev.holdfast.tests.bench;

import java.util.Map;

/** One request with which a platform delivers a message. */
record Delivery(String uri, Map<String, String> headers, String body) {
  /** What makes the deliveries of a load. */
  @FunctionalInterface
  interface Maker {
    /**
     * @param number from 0, another one for each message
     */
    Delivery make(long number);
  }
}
