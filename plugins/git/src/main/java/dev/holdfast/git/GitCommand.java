package dev.holdfast.git;

import dev.holdfast.agentkit.ActionRefusedException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Runs Git in one repository so that nothing which the repository names is run: no hooks, filters,
 * monitors, external diffs, text conversions, pagers, editors, signatures or transports. The
 * environment is built up from nothing, and what is set there outranks every file of configuration.
 */
final class GitCommand {
  private static final int SECONDS_MAX = 40;
  private static final int ERROR_BYTES_MAX = 8192;
  private static final int CONFIG_BYTES_MAX = 1 << 20;
  private static final int ERROR_UNITS_MAX = 400;
  private static final String NOWHERE = "/dev/null";

  private static final Map<String, String> ENVIRONMENT =
      Map.ofEntries(
          Map.entry("LC_ALL", "C.UTF-8"),
          Map.entry("HOME", NOWHERE),
          Map.entry("XDG_CONFIG_HOME", NOWHERE),
          Map.entry("GIT_CONFIG_NOSYSTEM", "1"),
          Map.entry("GIT_CONFIG_GLOBAL", NOWHERE),
          Map.entry("GIT_CONFIG_SYSTEM", NOWHERE),
          Map.entry("GIT_ATTR_NOSYSTEM", "1"),
          Map.entry("GIT_TERMINAL_PROMPT", "0"),
          Map.entry("GIT_OPTIONAL_LOCKS", "0"),
          Map.entry("GIT_LITERAL_PATHSPECS", "1"),
          // A missing object of a partial clone would be fetched, by a program that it names.
          Map.entry("GIT_NO_LAZY_FETCH", "1"),
          Map.entry("GIT_ALLOW_PROTOCOL", ""),
          Map.entry("GIT_ASKPASS", "false"),
          Map.entry("SSH_ASKPASS", "false"),
          Map.entry("GIT_EDITOR", ":"),
          Map.entry("GIT_SEQUENCE_EDITOR", ":"),
          Map.entry("GIT_PAGER", "cat"));

  private static final Map<String, String> SETTINGS =
      Map.ofEntries(
          Map.entry("core.hooksPath", NOWHERE),
          Map.entry("core.fsmonitor", ""),
          Map.entry("core.pager", "cat"),
          Map.entry("core.editor", ":"),
          Map.entry("core.askPass", "false"),
          Map.entry("core.sshCommand", "false"),
          Map.entry("core.gitProxy", "none"),
          Map.entry("core.alternateRefsCommand", ""),
          Map.entry("core.fsync", "all"),
          Map.entry("core.quotePath", "true"),
          Map.entry("color.ui", "false"),
          Map.entry("diff.external", ""),
          Map.entry("diff.ignoreSubmodules", "all"),
          Map.entry("diff.noprefix", "false"),
          Map.entry("diff.mnemonicPrefix", "false"),
          Map.entry("diff.relative", "false"),
          Map.entry("diff.orderFile", NOWHERE),
          Map.entry("diff.submodule", "short"),
          Map.entry("submodule.recurse", "false"),
          Map.entry("status.submoduleSummary", "false"),
          Map.entry("log.showSignature", "false"),
          Map.entry("commit.gpgSign", "false"),
          Map.entry("gpg.program", "false"),
          Map.entry("gpg.ssh.program", "false"),
          Map.entry("gpg.x509.program", "false"),
          Map.entry("i18n.commitEncoding", "UTF-8"),
          Map.entry("i18n.logOutputEncoding", "UTF-8"),
          Map.entry("credential.helper", ""),
          Map.entry("protocol.allow", "never"),
          Map.entry("gc.auto", "0"),
          Map.entry("maintenance.auto", "false"));

  private final Path workTree;
  private final Path gitFolder;
  private final Map<String, String> settings;
  private final Map<String, String> environment;
  private final String identity;

  /**
   * What a command left.
   *
   * @param output at most as many bytes as were asked for
   * @param isCut whether there was more of it
   * @param errors what it said about that, in one line
   */
  @SuppressWarnings("ArrayRecordComponent") // made once, read once
  record Result(int exitCode, byte[] output, boolean isCut, String errors) {
    String text() {
      return new String(output, StandardCharsets.UTF_8);
    }

    /** The refusal to tell of a command that failed. */
    ActionRefusedException refusal(int code) {
      return new ActionRefusedException(
          code, errors.isEmpty() ? "Git ended with exit code " + exitCode + "." : "Git: " + errors);
    }
  }

  private GitCommand(
      Path workTree,
      Path gitFolder,
      Map<String, String> settings,
      Map<String, String> environment,
      String identity) {
    this.workTree = workTree;
    this.gitFolder = gitFolder;
    this.settings = settings;
    this.environment = environment;
    this.identity = identity;
  }

  /** Reads the configuration of the repository, to take out of force what would run something. */
  static GitCommand in(Path workTree, Path gitFolder)
      throws ActionRefusedException, IOException, InterruptedException {
    GitCommand plain = new GitCommand(workTree, gitFolder, SETTINGS, Map.of(), "");
    Result read =
        plain.run(
            CONFIG_BYTES_MAX,
            "config",
            "--null",
            "--get-regexp",
            "^(filter[.]|core[.]hookspath$|user[.](name|email)$)");
    if (read.exitCode() != 0 || read.isCut()) {
      throw read.refusal(ActionRefusedException.UNREADABLE);
    }
    Map<String, String> found = new LinkedHashMap<>();
    for (String entry : read.text().split("\0", -1)) {
      int end = entry.indexOf('\n');
      found.put(end < 0 ? entry : entry.substring(0, end), end < 0 ? "" : entry.substring(end + 1));
    }
    if (!NOWHERE.equals(found.get("core.hookspath"))) {
      throw new ActionRefusedException(
          ActionRefusedException.FAILED, "This Git is too old: 2.32 is needed.");
    }
    String name = found.getOrDefault("user.name", "");
    String email = found.getOrDefault("user.email", "");
    return new GitCommand(
        workTree,
        gitFolder,
        withoutFilters(found),
        Map.of(),
        name.isBlank() || email.isBlank() ? "" : name + " <" + email + ">");
  }

  private static Map<String, String> withoutFilters(Map<String, String> found)
      throws ActionRefusedException {
    Map<String, String> settings = new TreeMap<>(SETTINGS);
    for (String key : found.keySet()) {
      int end = key.lastIndexOf('.');
      if (!key.startsWith("filter.") || end < "filter.".length()) {
        continue;
      }
      String driver = key.substring(0, end);
      if (!driver.chars().allMatch(one -> one >= ' ' && one < 127)) {
        throw new ActionRefusedException(
            ActionRefusedException.FORBIDDEN,
            "The repository configures a filter whose name is not plain ASCII.");
      }
      for (String part : List.of("clean", "smudge", "process")) {
        settings.put(driver + "." + part, "");
      }
      settings.put(driver + ".required", "false");
    }
    return settings;
  }

  /** Whom the repository names, as {@code Name <address>}; empty when it names nobody. */
  String identity() {
    return identity;
  }

  /** The same with more variables. */
  GitCommand with(Map<String, String> more) {
    return new GitCommand(workTree, gitFolder, settings, more, identity);
  }

  /** Blocks until Git has ended; it is ended once it has written more than {@code bytesMax}. */
  Result run(int bytesMax, String... arguments)
      throws ActionRefusedException, IOException, InterruptedException {
    return run(bytesMax, new byte[0], List.of(arguments));
  }

  /** The same with something on its standard input. */
  Result run(int bytesMax, byte[] input, List<String> arguments)
      throws ActionRefusedException, IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("git", "--no-pager"));
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command).directory(workTree.toFile());
    fill(builder.environment());
    Process process = builder.start();
    AtomicBoolean isLate = new AtomicBoolean();
    Thread watch = Thread.startVirtualThread(() -> end(process, isLate));
    Thread feed = Thread.startVirtualThread(() -> feed(process, input));
    StringBuilder said = new StringBuilder();
    Thread errors = Thread.startVirtualThread(() -> said.append(errors(process)));
    byte[] output;
    try (InputStream in = process.getInputStream()) {
      output = in.readNBytes(bytesMax + 1);
      if (output.length > bytesMax) {
        process.destroy();
      }
    }
    int exitCode = process.waitFor();
    watch.join();
    feed.join();
    errors.join();
    if (isLate.get()) {
      throw new ActionRefusedException(
          ActionRefusedException.TIMED_OUT, "Git took longer than " + SECONDS_MAX + " s.");
    }
    boolean isCut = output.length > bytesMax;
    return new Result(
        isCut ? 0 : exitCode,
        isCut ? Arrays.copyOf(output, bytesMax) : output,
        isCut,
        said.toString());
  }

  private void fill(Map<String, String> variables) {
    String path = variables.getOrDefault("PATH", "");
    variables.clear();
    variables.putAll(ENVIRONMENT);
    variables.put("PATH", path);
    variables.put("GIT_DIR", gitFolder.toString());
    variables.put("GIT_WORK_TREE", workTree.toString());
    int count = 0;
    for (Map.Entry<String, String> setting : settings.entrySet()) {
      variables.put("GIT_CONFIG_KEY_" + count, setting.getKey());
      variables.put("GIT_CONFIG_VALUE_" + count, setting.getValue());
      count++;
    }
    variables.put("GIT_CONFIG_COUNT", Integer.toString(count));
    variables.putAll(environment);
  }

  private static void end(Process process, AtomicBoolean isLate) {
    try {
      if (!process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)) {
        isLate.set(true);
        process.destroy();
        if (!process.waitFor(2, TimeUnit.SECONDS)) {
          process.destroyForcibly();
        }
      }
    } catch (InterruptedException _) {
      process.destroyForcibly();
    }
  }

  private static void feed(Process process, byte[] input) {
    try (OutputStream out = process.getOutputStream()) {
      out.write(input);
    } catch (IOException _) {
      // Git has ended without reading it, and says why by its exit code.
    }
  }

  /** The first lines that are no advice, as one. */
  private static String errors(Process process) {
    try (InputStream in = process.getErrorStream()) {
      String text = new String(in.readNBytes(ERROR_BYTES_MAX), StandardCharsets.UTF_8);
      in.transferTo(OutputStream.nullOutputStream());
      String line =
          String.join(
              " ",
              text.lines()
                  .filter(each -> !each.startsWith("hint:") && !each.startsWith("warning:"))
                  .map(String::strip)
                  .filter(each -> !each.isEmpty())
                  .toList());
      return line.length() > ERROR_UNITS_MAX ? line.substring(0, ERROR_UNITS_MAX) + "…" : line;
    } catch (IOException _) {
      return "";
    }
  }
}
