package dev.holdfast.tools.files;

import java.nio.file.Path;
import java.util.List;

/**
 * A path in a folder that tools may use, as far as its text goes. What it really leads to is seen
 * only when it is opened.
 *
 * @param base a thread's folder, relative to the data folder, when {@code scratch}; otherwise a
 *     configured folder, absolute
 * @param scratch whether it is in the {@code scratch} folder of a thread
 * @param names the steps from there; none is empty, {@code .} or {@code ..}
 */
record AllowedPath(Path base, boolean scratch, List<String> names) {
  AllowedPath {
    names = List.copyOf(names);
  }

  /** As the model writes it. */
  String shown() {
    String steps = String.join("/", names);
    if (scratch) {
      return steps.isEmpty() ? "." : steps;
    }
    return steps.isEmpty() ? base.toString() : (base + "/" + steps).replace("//", "/");
  }

  /** The last step. */
  String name() throws FileFailedException {
    if (names.isEmpty()) {
      throw FileFailedException.refused(shown() + ": is a folder");
    }
    return names.getLast();
  }

  AllowedPath parent() throws FileFailedException {
    name();
    return up(names.size() - 1);
  }

  /** The folder after so many steps. */
  AllowedPath up(int steps) {
    return new AllowedPath(base, scratch, names.subList(0, steps));
  }

  AllowedPath child(String name) {
    List<String> more = new java.util.ArrayList<>(names);
    more.add(name);
    return new AllowedPath(base, scratch, more);
  }
}
