package dev.holdfast.supervision;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.channels.SocketChannel;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.List;
import java.util.UUID;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.net.ssl.SSLContext;
import org.slf4j.LoggerFactory;

/**
 * Loads at the start what a lack of file descriptors would poison for good: a class whose first use
 * fails then stays unusable even when descriptors are free again.
 */
public final class Preload {
  /** Not public, so by name: they open pipes and read tables when they are first used. */
  private static final List<String> BY_NAME =
      List.of(
          "java.lang.ProcessImpl",
          "java.lang.ProcessEnvironment",
          "java.lang.ProcessHandleImpl",
          "java.time.zone.TzdbZoneRulesProvider",
          "java.net.Inet4AddressImpl",
          "java.net.Inet6AddressImpl",
          "sun.nio.ch.FileChannelImpl",
          "sun.nio.ch.SocketChannelImpl",
          "sun.nio.ch.ServerSocketChannelImpl",
          "sun.nio.fs.UnixNativeDispatcher");

  private Preload() {}

  /** Blocks for some tens of milliseconds. What this JVM does not have is logged and left out. */
  public static void all() {
    BY_NAME.forEach(Preload::load);
    try {
      new SecureRandom().nextBytes(new byte[8]);
      UUID.randomUUID();
      SSLContext.getDefault().createSSLEngine().getSupportedCipherSuites();
      Mac.getInstance("HmacSHA256");
      Cipher.getInstance("AES/GCM/NoPadding");
      InetAddress.getByName("localhost");
      SocketChannel.open().close();
      ProcessHandle.current().info();
    } catch (UnknownHostException e) {
      skipped("localhost", e);
    } catch (GeneralSecurityException | IOException e) {
      skipped("security or network", e);
    }
  }

  private static void load(String name) {
    try {
      Class.forName(name);
    } catch (ClassNotFoundException | LinkageError e) {
      skipped(name, e);
    }
  }

  private static void skipped(String what, Throwable why) {
    LoggerFactory.getLogger(Preload.class)
        .warn("preload: {} could not be loaded ({})", what, why.getClass().getSimpleName());
  }
}
