package dev.holdfast.tests.channels;

import dev.holdfast.kit.testing.Card;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** A chat platform whose posts may have buttons. Thread-safe. */
interface ButtonWorld extends ChatWorld {
  /** The conversation with a person, as the server names it, without channel and account. */
  String thread(int person);

  /** The person's id on the platform. */
  String id(int person);

  /** How the account names the person to others. */
  String name(int person);

  /** The posts that stand in the conversation with a person, oldest first. */
  List<Card> cards(int person);

  /**
   * The person presses a button, also one that is gone meanwhile.
   *
   * @return names this press
   * @throws IOException when the platform tells the person that nothing listens
   */
  String press(int person, Card card, String label) throws IOException;

  /** What the person was told of a press, or of one after it. */
  Optional<String> told(int person, String press);
}
