package dev.holdfast.cli;

import dev.holdfast.api.CallFailedException;
import dev.holdfast.processes.Children;
import dev.holdfast.processes.ChildrenConfig;
import dev.holdfast.processes.ChildrenConfig.Sandbox;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;

/** What the machine has, and has not. */
final class MachineChecks {
  private static final int JAVA_MIN = 25;
  private static final long FILES_MIN = 16_384;

  /** Older ones can corrupt a write-ahead log. */
  private static final List<Integer> SQLITE_MIN = List.of(3, 51, 3);

  private final CliEnvironment environment;

  MachineChecks(CliEnvironment environment) {
    this.environment = environment;
  }

  Finding java() {
    String text = Runtime.version() + " in " + System.getProperty("java.home");
    return Runtime.version().feature() >= JAVA_MIN
        ? Finding.good("Java", text)
        : Finding.bad("Java", text, "install a JDK " + JAVA_MIN);
  }

  Finding openFiles() {
    try {
      for (String line : Files.readAllLines(Path.of("/proc/self/limits"))) {
        if (line.startsWith("Max open files")) {
          String hard = line.strip().split(" +", -1)[4];
          // The Java machine raises the soft limit to the hard one.
          boolean enough = hard.equals("unlimited") || Long.parseLong(hard) >= FILES_MIN;
          return enough
              ? Finding.good("open files", "up to " + hard)
              : Finding.warning(
                  "open files",
                  "up to " + hard + "; every connection uses one",
                  "raise it: LimitNOFILE=65536 in the systemd unit, or ulimit -n 65536");
        }
      }
    } catch (IOException | NumberFormatException _) {
      // Said below.
    }
    return Finding.good("open files", "the limit cannot be read on this system");
  }

  /**
   * Starts a child as the server would and says what keeps it in.
   *
   * @param wanted {@code tools.shell.sandbox}
   */
  Finding isolation(String wanted) {
    Sandbox sandbox =
        Arrays.stream(Sandbox.values())
            .filter(each -> each.name().equalsIgnoreCase(wanted))
            .findFirst()
            .orElse(Sandbox.AUTO);
    try (Children children = Children.open(ChildrenConfig.of(sandbox), environment.time())) {
      String text = children.describe();
      return switch (children.isolation()) {
        case BUBBLEWRAP, NAMESPACES ->
            children.boundsMemory()
                ? Finding.good("isolation", text)
                : Finding.warning(
                    "isolation",
                    text,
                    "under systemd copy holdfast-tools.conf to"
                        + " /etc/systemd/system/holdfast.service.d/");
        case PROCESS_GROUP ->
            Finding.warning(
                "isolation",
                text,
                "install bubblewrap, and allow user namespaces; under systemd copy"
                    + " holdfast-tools.conf to /etc/systemd/system/holdfast.service.d/");
      };
    } catch (CallFailedException e) {
      return Finding.bad(
          "isolation",
          e.failure().message(),
          "install what is missing, or set tools.shell.sandbox: auto");
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return Finding.warning("isolation", "not checked: interrupted", "");
    }
  }

  Finding systemd() {
    boolean runs = Files.isDirectory(Path.of("/run/systemd/system"));
    return Finding.good(
        "systemd", runs ? "is running" : "is not running; nothing restarts a server that gave up");
  }

  Finding sqlite() {
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite::memory:");
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery("select sqlite_version()")) {
      String version = result.next() ? result.getString(1) : "0";
      List<Integer> parts = Arrays.stream(version.split("\\.", -1)).map(Integer::valueOf).toList();
      return Arrays.compare(parts.toArray(Integer[]::new), SQLITE_MIN.toArray(Integer[]::new)) >= 0
          ? Finding.good("SQLite", version)
          : Finding.bad("SQLite", version + " can corrupt its log", "use the jar as it was built");
    } catch (SQLException | NumberFormatException | LinkageError e) {
      return Finding.bad(
          "SQLite",
          "cannot be loaded: " + e.getMessage(),
          "the folder for temporary files must allow libraries: -Djava.io.tmpdir=FOLDER");
    }
  }
}
