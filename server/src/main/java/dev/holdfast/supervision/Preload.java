package dev.holdfast.supervision;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.time.zone.ZoneRulesProvider;
import java.util.Map;
import java.util.Set;
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
  /** Has no public way in but a child process. */
  private static final String PROCESSES = "java.lang.ProcessImpl";

  private Preload() {}

  /**
   * Blocks for some tens of milliseconds. What this JVM does not have is logged and left out. Goes
   * the public ways that everybody goes: of two threads that initialize a class and the one that it
   * extends, each by another end, neither ever returns.
   */
  public static void all() {
    try {
      Class.forName(PROCESSES);
      Map<String, String> _ = System.getenv();
      Set<String> _ = ZoneRulesProvider.getAvailableZoneIds();
      new SecureRandom().nextBytes(new byte[8]);
      UUID.randomUUID();
      SSLContext.getDefault().createSSLEngine().getSupportedCipherSuites();
      Mac.getInstance("HmacSHA256");
      Cipher.getInstance("AES/GCM/NoPadding");
      InetAddress.getByName("localhost");
      SocketChannel.open().close();
      ServerSocketChannel.open().close();
      FileChannel.open(Path.of("/dev/null")).close();
      ProcessHandle.current().info();
    } catch (ClassNotFoundException | LinkageError e) {
      skipped("a class", e);
    } catch (UnknownHostException e) {
      skipped("localhost", e);
    } catch (GeneralSecurityException | IOException e) {
      skipped("security or network", e);
    }
  }

  private static void skipped(String what, Throwable why) {
    LoggerFactory.getLogger(Preload.class)
        .warn("preload: {} could not be loaded ({})", what, why.getClass().getSimpleName());
  }
}
