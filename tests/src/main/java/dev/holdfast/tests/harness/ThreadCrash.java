package dev.holdfast.tests.harness;

import com.sun.tools.attach.AttachOperationFailedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

/** Makes a part of a running server crash. */
public final class ThreadCrash {
  private ThreadCrash() {}

  /**
   * Interrupts the thread of a part, which is a crash when nobody has told the part to stop.
   *
   * @param part as the supervision tree calls it
   */
  public static void of(ServerRig rig, String part) {
    Path jar = rig.folder().resolve("interrupt-agent.jar");
    try {
      if (!Files.exists(jar)) {
        write(jar);
      }
      VirtualMachine jvm = VirtualMachine.attach(Long.toString(rig.server().pid()));
      try {
        jvm.loadAgent(jar.toString(), part);
      } finally {
        jvm.detach();
      }
    } catch (AttachOperationFailedException e) {
      throw new IllegalStateException("the server's JVM refuses an agent", e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (Exception e) {
      throw new IllegalStateException("nothing can be loaded into the server", e);
    }
  }

  private static void write(Path jar) throws IOException {
    String file = InterruptAgent.class.getName().replace('.', '/') + ".class";
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest
        .getMainAttributes()
        .put(new Attributes.Name("Agent-Class"), InterruptAgent.class.getName());
    manifest.getMainAttributes().put(new Attributes.Name("Can-Redefine-Classes"), "true");
    try (OutputStream out = Files.newOutputStream(jar);
        JarOutputStream entries = new JarOutputStream(out, manifest);
        InputStream code =
            Objects.requireNonNull(ThreadCrash.class.getClassLoader().getResourceAsStream(file))) {
      entries.putNextEntry(new JarEntry(file));
      code.transferTo(entries);
    }
  }
}
