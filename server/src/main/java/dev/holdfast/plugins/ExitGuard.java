package dev.holdfast.plugins;

/**
 * Is called in place of {@code System.exit}, {@code Runtime.exit} and {@code Runtime.halt} by the
 * classes of plugins. Public, for they call it from outside.
 */
public final class ExitGuard {
  private static final StackWalker CALLER =
      StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

  private ExitGuard() {}

  /** A plugin tried to end the process. */
  static final class ExitRefusedError extends Error {
    private static final long serialVersionUID = 1L;

    ExitRefusedError(int status) {
      super("a plugin may not end the server; it tried to with status " + status);
    }
  }

  /** In place of {@code System.exit}. */
  public static void exit(int status) {
    throw refused(status, CALLER.getCallerClass());
  }

  /** In place of {@code Runtime.exit} and {@code Runtime.halt}. */
  @SuppressWarnings("unused") // the runtime: what is replaced has it on the stack
  public static void exit(Runtime runtime, int status) {
    throw refused(status, CALLER.getCallerClass());
  }

  private static ExitRefusedError refused(int status, Class<?> caller) {
    ClassLoader loader =
        caller.getClassLoader() instanceof PluginLoader own
            ? own
            : Thread.currentThread().getContextClassLoader(); // called through a class of the JDK
    if (loader instanceof PluginLoader plugin) {
      plugin.triedToExit(status);
    }
    return new ExitRefusedError(status);
  }
}
