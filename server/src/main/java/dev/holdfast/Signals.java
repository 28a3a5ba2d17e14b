package dev.holdfast;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hears SIGTERM, SIGINT and SIGHUP; a SIGHUP that nohup ignores stays ignored. A shutdown hook
 * would not do: the process would exit with 143 in place of 0, and a second signal could not be
 * heard. The class that the JDK has for it is reached by name, because javac warns of it.
 */
final class Signals {
  private static final Logger LOG = LoggerFactory.getLogger(Signals.class);

  private Signals() {}

  /** What a closing terminal sends, often more than once. */
  static final String HANG_UP = "HUP";

  /**
   * {@code heard} is called with the name of each signal, without "SIG", on a thread of the JVM's:
   * it must return at once.
   */
  static void onStop(Consumer<String> heard) {
    for (String name : List.of("TERM", "INT", HANG_UP)) {
      try {
        handle(name, heard);
      } catch (ClassNotFoundException
          | NoSuchMethodException
          | InstantiationException
          | IllegalAccessException
          | InvocationTargetException e) {
        LOG.warn(
            "signals: SIG{} will end the process without a clean stop: {}", name, e.toString());
      }
    }
  }

  private static void handle(String name, Consumer<String> heard)
      throws ClassNotFoundException,
          NoSuchMethodException,
          InstantiationException,
          IllegalAccessException,
          InvocationTargetException {
    Class<?> signal = Class.forName("sun.misc.Signal");
    Class<?> handler = Class.forName("sun.misc.SignalHandler");
    Object listener =
        Proxy.newProxyInstance(
            Signals.class.getClassLoader(),
            new Class<?>[] {handler},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "handle" -> {
                    heard.accept(name);
                    yield null;
                  }
                  case "hashCode" -> System.identityHashCode(proxy);
                  case "equals" -> proxy == arguments[0];
                  default -> "stop signal";
                });
    signal
        .getMethod("handle", signal, handler)
        .invoke(null, signal.getConstructor(String.class).newInstance(name), listener);
  }
}
