package dev.holdfast.tests.harness;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.ClassDescriptor;
import org.junit.jupiter.api.ClassOrderer;
import org.junit.jupiter.api.ClassOrdererContext;

/**
 * Begins with the classes that took longest, so that none of them is still running when all others
 * have ended: those of {@code longest-classes.txt}, which the launcher renews. All others follow in
 * the order of their names.
 */
public final class LongestFirst implements ClassOrderer {
  private final List<String> longest = read();

  private static List<String> read() {
    try (@Nullable InputStream in =
        LongestFirst.class.getResourceAsStream("/longest-classes.txt")) {
      return in == null
          ? List.of()
          : new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void orderClasses(ClassOrdererContext context) {
    context
        .getClassDescriptors()
        .sort(
            Comparator.<ClassDescriptor>comparingInt(test -> place(test.getTestClass()))
                .thenComparing(test -> test.getTestClass().getName()));
  }

  private int place(Class<?> test) {
    int place = longest.indexOf(test.getSimpleName());
    return place < 0 ? longest.size() : place;
  }
}
