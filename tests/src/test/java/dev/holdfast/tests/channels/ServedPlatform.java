package dev.holdfast.tests.channels;

import dev.holdfast.tests.harness.Setup;
import java.io.IOException;
import java.util.List;

/** A chat platform that people write on, and that something may stand in front of. Thread-safe. */
interface ServedPlatform extends AutoCloseable {
  /** The name of its plugin. */
  String plugin();

  /** Where it is: {@code http}, a host and a port. */
  String origin();

  /**
   * Makes a server serve it.
   *
   * @param origin where the server is to look for it
   */
  void configure(Setup setup, String origin);

  /**
   * A person writes to the account, alone with it where the platform has that.
   *
   * @param person from 0
   * @return the key by which the server knows the message
   */
  String say(int person, String text) throws IOException;

  /** The texts of the messages that stand in the conversation with a person, oldest first. */
  List<String> shown(int person);

  @Override
  void close();
}
