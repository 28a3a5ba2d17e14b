package dev.holdfast.config;

/** A record of the configuration refuses the value of one of its keys. See {@link Check}. */
public final class RefusedValueException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  private final String key;

  /**
   * @param key of the record's section; with dots when it stands in a section within that
   * @param message a whole sentence that begins with the key and holds no secret
   */
  public RefusedValueException(String key, String message) {
    super(message);
    this.key = key;
  }

  /** As above, with what told of it. */
  public RefusedValueException(String key, String message, Throwable cause) {
    super(message, cause);
    this.key = key;
  }

  String key() {
    return key;
  }
}
