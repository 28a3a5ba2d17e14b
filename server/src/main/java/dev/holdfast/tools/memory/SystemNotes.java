package dev.holdfast.tools.memory;

import java.util.List;

/** What the server knows of itself and a model may tell people who ask about it. */
@FunctionalInterface
public interface SystemNotes {
  /** One line each, newest first; without anything that people have said. */
  List<String> newest();
}
