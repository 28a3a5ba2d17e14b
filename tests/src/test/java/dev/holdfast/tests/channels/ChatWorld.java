package dev.holdfast.tests.channels;

import dev.holdfast.tests.harness.Setup;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** A chat platform with people on it, for tests that are the same on all of them. Thread-safe. */
interface ChatWorld extends AutoCloseable {
  /** What each account is to have: everybody is answered, however much they write. */
  Map<String, Object> EVERYBODY =
      Map.of("allow", Map.of("users", List.of("*")), "person_per_minute", 10_000);

  /** The name of its plugin. */
  String plugin();

  /** Makes a server serve it. */
  void configure(Setup setup);

  /**
   * A person writes to the account, alone with it.
   *
   * @param person from 0
   * @return the key by which the server knows the message
   */
  String say(int person, String text);

  /** The texts of the messages that stand in the conversation with a person, oldest first. */
  List<String> shown(int person);

  /** Whether the platform has nothing left that the server has not taken. */
  boolean isAllTaken();

  /** From now on some answers to posts are lost, after the post. */
  void loseAnswers(Random random, int percent);

  @Override
  void close();
}
