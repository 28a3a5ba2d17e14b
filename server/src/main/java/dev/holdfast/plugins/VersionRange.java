package dev.holdfast.plugins;

import com.github.zafarkhaja.semver.ParseException;
import com.github.zafarkhaja.semver.Version;

/** A range of versions such as {@code >=0.1.0 & <2.0.0}. */
final class VersionRange {
  private VersionRange() {}

  /** A range that cannot be read contains nothing; a server that is being made is in all. */
  static boolean contains(String range, String version) {
    return Version.tryParse(version)
        .map(
            parsed -> {
              try {
                return parsed.satisfies(range);
              } catch (ParseException | IllegalArgumentException _) {
                return false;
              }
            })
        .orElse(true);
  }
}
