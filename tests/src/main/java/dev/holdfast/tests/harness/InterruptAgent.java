package dev.holdfast.tests.harness;

import java.lang.instrument.Instrumentation;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Runs inside a server: interrupts its threads of one name, as a bug might. Virtual ones are found
 * where the JVM keeps them.
 */
public final class InterruptAgent {
  private InterruptAgent() {}

  /**
   * Called by the JVM that it was loaded into.
   *
   * @param name of the threads
   */
  public static void agentmain(String name, Instrumentation jvm)
      throws ReflectiveOperationException {
    Module mine = InterruptAgent.class.getModule();
    jvm.redefineModule(
        Object.class.getModule(),
        Set.of(),
        Map.of(),
        Map.of("jdk.internal.vm", Set.of(mine)),
        Set.of(),
        Map.of());
    Class<?> containers = Class.forName("jdk.internal.vm.ThreadContainers");
    Object root = containers.getMethod("root").invoke(null);
    Method threads = Class.forName("jdk.internal.vm.ThreadContainer").getMethod("threads");
    try (Stream<?> all = (Stream<?>) threads.invoke(root)) {
      all.map(Thread.class::cast)
          .filter(thread -> thread.getName().equals(name))
          .forEach(Thread::interrupt);
    }
  }
}
