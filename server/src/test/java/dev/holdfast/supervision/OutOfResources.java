package dev.holdfast.supervision;

import java.io.FileInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;

/**
 * The main class of the JVMs that {@link FatalTest} starts. Exit status 42: it lived on as it
 * should.
 */
final class OutOfResources {
  private OutOfResources() {}

  public static void main(String[] args) throws Exception {
    Fatal.haltOnOutOfMemory();
    Thread victim =
        switch (args[0]) {
          case "heap" -> Thread.ofPlatform().start(OutOfResources::fillHeap);
          case "direct" -> Thread.ofPlatform().start(OutOfResources::fillDirect);
          case "virtual" -> Thread.ofVirtual().start(OutOfResources::fillHeap);
          case "wrapped" -> Thread.ofVirtual().start(OutOfResources::catchWrapped);
          case "unread" -> Thread.ofPlatform().start(OutOfResources::fillHeapUnread);
          case "other" ->
              Thread.ofVirtual()
                  .start(
                      () -> {
                        throw new AssertionError("a bug");
                      });
          case "descriptors" -> Thread.ofPlatform().start(OutOfResources::useUpDescriptors);
          default -> throw new IllegalArgumentException(args[0]);
        };
    victim.join();
    Runtime.getRuntime().halt(args[0].equals("other") ? 42 : 1);
  }

  private static void fillHeap() {
    List<byte[]> kept = new ArrayList<>();
    while (kept.size() < 1_000_000) {
      kept.add(new byte[1_000_000]);
    }
  }

  /** As much as a pipe of Linux holds, and one line more would wait. */
  private static void fillHeapUnread() {
    System.err.write(new byte[64 << 10], 0, 64 << 10);
    System.err.flush();
    fillHeap();
  }

  private static void fillDirect() {
    List<ByteBuffer> kept = new ArrayList<>();
    while (kept.size() < 1_000_000) {
      kept.add(ByteBuffer.allocateDirect(1_000_000));
    }
  }

  private static void catchWrapped() {
    Fatal.check(
        new IllegalStateException(
            new RuntimeException(new OutOfMemoryError("unable to create native thread"))));
  }

  private static void useUpDescriptors() {
    Preload.all();
    List<FileInputStream> open = new ArrayList<>();
    try {
      while (open.size() < 1000) {
        open.add(new FileInputStream("/dev/null"));
      }
      Runtime.getRuntime().halt(2);
    } catch (IOException e) {
      // None is left: now each must work, or at least work again later.
      new SecureRandom().nextInt();
    }
    tryToStart();
    closeAll(open);
    try {
      InetAddress.getByName("localhost");
      SSLContext.getDefault();
      Runtime.getRuntime().halt(new ProcessBuilder("true").start().waitFor() == 0 ? 42 : 4);
    } catch (Exception e) {
      Runtime.getRuntime().halt(5);
    }
  }

  private static void tryToStart() {
    try {
      new ProcessBuilder("true").start();
      Runtime.getRuntime().halt(6);
    } catch (IOException e) {
      // As it should be without a descriptor.
      return;
    }
  }

  private static void closeAll(List<FileInputStream> open) {
    for (FileInputStream file : open) {
      try {
        file.close();
      } catch (IOException e) {
        Runtime.getRuntime().halt(7);
      }
    }
  }
}
