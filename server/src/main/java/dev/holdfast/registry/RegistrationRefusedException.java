package dev.holdfast.registry;

/**
 * Nothing was registered. It has no cause: what foreign code has thrown would keep that code
 * loaded.
 */
public final class RegistrationRefusedException extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient Refusal refusal;

  public RegistrationRefusedException(Refusal refusal) {
    super(refusal.message());
    this.refusal = refusal;
  }

  public Refusal refusal() {
    return refusal;
  }
}
