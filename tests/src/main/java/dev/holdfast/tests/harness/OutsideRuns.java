package dev.holdfast.tests.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestWatcher;

/** Decides whether a class of {@link Outside} runs, and writes down what it has passed for. */
final class OutsideRuns
    implements ExecutionCondition, BeforeAllCallback, AfterAllCallback, TestWatcher {
  private static final Path ROOT = Path.of("..");
  private static final Path RECORD = ROOT.resolve("tests/outside.properties");
  private static final String HEADER =
      "# What each class of @Outside last passed for; its run renews this.\n";
  private static final String NAMED = System.getProperty("test", "");

  /** Those of which a test did not pass. */
  private static final Set<Class<?>> UNPROVEN = ConcurrentHashMap.newKeySet();

  @Override
  public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
    Class<?> test = context.getRequiredTestClass();
    if (RunLength.isFull() || !NAMED.isEmpty()) {
      return ConditionEvaluationResult.enabled("asked for");
    }
    if (System.getProperty("holdfast.outside", "true").equals("false")) {
      return ConditionEvaluationResult.disabled("-Dholdfast.outside=false");
    }
    return digest(test).equals(record().get(test.getSimpleName()))
        ? ConditionEvaluationResult.disabled(
            "unchanged since it last passed: " + String.join(" ", covered(test)))
        : ConditionEvaluationResult.enabled("changed");
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    for (String need : context.getRequiredTestClass().getAnnotation(Outside.class).needs()) {
      Commands.install(need.split(":", 2)[0], need.split(":", 2)[1]);
    }
  }

  @Override
  public void testFailed(ExtensionContext context, Throwable cause) {
    UNPROVEN.add(context.getRequiredTestClass());
  }

  @Override
  public void testAborted(ExtensionContext context, Throwable cause) {
    UNPROVEN.add(context.getRequiredTestClass());
  }

  @Override
  public void afterAll(ExtensionContext context) {
    Class<?> test = context.getRequiredTestClass();
    if (context.getExecutionException().isEmpty()
        && !UNPROVEN.contains(test)
        && !NAMED.contains("#")) {
      write(test.getSimpleName(), digest(test));
    }
  }

  private static List<String> covered(Class<?> test) {
    return List.of(test.getAnnotation(Outside.class).covers());
  }

  private static Map<String, String> record() {
    try {
      return Files.exists(RECORD)
          ? Files.readAllLines(RECORD).stream()
              .filter(line -> line.contains("="))
              .map(line -> line.split("=", 2))
              .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1]))
          : Map.of();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static synchronized void write(String test, String digest) {
    Map<String, String> all = new TreeMap<>(record());
    if (digest.equals(all.put(test, digest))) {
      return;
    }
    try {
      Files.writeString(
          RECORD,
          all.entrySet().stream()
              .map(entry -> entry.getKey() + "=" + entry.getValue() + "\n")
              .collect(Collectors.joining("", HEADER, "")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Of the names and bytes of all that it covers. */
  private static String digest(Class<?> test) {
    List<String> covered = new ArrayList<>(covered(test));
    covered.add("tests/src/test/java/" + test.getName().replace('.', '/') + ".java");
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      for (String name : covered) {
        Path at = ROOT.resolve(name);
        if (!Files.exists(at)) {
          throw new AssertionError(test.getSimpleName() + " covers " + name + ": no such file");
        }
        for (Path file : files(at)) {
          digest.update(ROOT.relativize(file).toString().getBytes(StandardCharsets.UTF_8));
          digest.update(Files.readAllBytes(file));
        }
      }
      return HexFormat.of().formatHex(digest.digest(), 0, 8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private static List<Path> files(Path at) throws IOException {
    try (Stream<Path> all = Files.walk(at)) {
      return all.filter(Files::isRegularFile)
          .filter(file -> !file.toString().contains("/target/"))
          .sorted()
          .toList();
    }
  }
}
