package dev.holdfast.config;

/**
 * A record refuses even its defaults, for example because a value without default is missing. The
 * problem is reported already; the section around it does without.
 */
final class RefusedSectionException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  RefusedSectionException(String section, Throwable cause) {
    super(section, cause);
  }
}
