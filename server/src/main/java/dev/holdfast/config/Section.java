package dev.holdfast.config;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * One mapping of holdfast.yaml while it is read. Each key that is asked for is known; what is left over in the end is
 * reported as unknown, with its line and the nearest known key. A value of the wrong type is reported and the default
 * is returned, so that all problems come out at once.
 */
public final class Section {
  Section() {}

  public int whole(String key, int fallback) {
    throw new UnsupportedOperationException(key + fallback);
  }

  public long wholeLong(String key, long fallback) {
    throw new UnsupportedOperationException(key + fallback);
  }

  /** A number with a fraction, for example an amount of money. */
  public double number(String key, double fallback) {
    throw new UnsupportedOperationException(key + fallback);
  }

  public boolean flag(String key, boolean fallback) {
    throw new UnsupportedOperationException(key + fallback);
  }

  public String text(String key, String fallback) {
    throw new UnsupportedOperationException(key + fallback);
  }

  /** One of the names of an enum, in lower case. */
  public <E extends Enum<E>> E choice(String key, Class<E> type, E fallback) {
    throw new UnsupportedOperationException(key + fallback);
  }

  public Secret secret(String key) {
    throw new UnsupportedOperationException(key);
  }

  public Duration seconds(String key, long fallback) {
    throw new UnsupportedOperationException(key + fallback);
  }

  public Duration millis(String key, long fallback) {
    throw new UnsupportedOperationException(key + fallback);
  }

  public Duration hours(String key, long fallback) {
    throw new UnsupportedOperationException(key + fallback);
  }

  public List<String> texts(String key, List<String> fallback) {
    throw new UnsupportedOperationException(key + fallback);
  }

  /** The mapping under {@code key}; an empty one when it is absent. */
  public Section section(String key) {
    throw new UnsupportedOperationException(key);
  }

  /** A mapping whose keys are names chosen by the operator, for example accounts; in the order of the file. */
  public Map<String, Section> named(String key) {
    throw new UnsupportedOperationException(key);
  }

  /** A mapping from names chosen by the operator to lists of texts, for example levels. */
  public Map<String, List<String>> namedTexts(String key, Map<String, List<String>> fallback) {
    throw new UnsupportedOperationException(key + fallback);
  }

  /** A list of mappings. */
  public List<Section> list(String key) {
    throw new UnsupportedOperationException(key);
  }

  /**
   * Makes a record of this section. A value that the record refuses ({@link IllegalArgumentException} from {@link
   * Check}) is reported with file, line and section, and the record is made again of the defaults.
   */
  public <T> T read(java.util.function.Function<Section, T> maker) {
    throw new UnsupportedOperationException();
  }
}
