package dev.holdfast.tests.bench;

import dev.holdfast.tests.harness.Metrics;
import dev.holdfast.tests.harness.ServerRig;
import dev.holdfast.tests.harness.ShellRig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/**
 * What a tool call costs: one that runs within the server, one that starts a child, and the
 * checkpoints of a model's round. Turns come one after the other; the times are the server's own.
 */
final class ToolRow implements Row {
  private int messages;

  @Override
  public void run(Scale scale, Report report) throws Exception {
    int turns = scale.count(1000, 100);
    String fsync = "fsync " + Report.percentiles(FsyncRow.measure(Duration.ofSeconds(2)));
    BareCheckpoint.measure(Duration.ofMillis(500)); // warms the JIT
    report.figure(
        "append one context line + fsync, nothing else",
        Report.percentiles(BareCheckpoint.measure(Duration.ofSeconds(2))),
        fsync);
    try (ShellRig shell = new ShellRig().start()) {
      String write = ShellRig.call("write_file", Map.of("path", "x", "content", "hello"));
      String read = ShellRig.call("read_file", Map.of("path", "x"));
      turns(shell, write, 1);
      turns(shell, read, turns); // warms the JIT
      double plain = turns(shell, "hello", turns);
      double tool = turns(shell, read, turns);
      report.figure("turn without a tool, the server's own mean", Report.millis(plain), fsync);
      report.figure("turn with one call of read_file: two rounds", Report.millis(tool), fsync);
      report.figure("a round with its checkpoint", Report.millis(tool - plain), fsync);
      report.figure("read_file, the server's own mean", mean(shell, "read_file"), bareRead(turns));
      int children = scale.count(200, 40);
      turns(shell, ShellRig.command("true"), children);
      report.figure(
          "shell: true, the server's own mean", mean(shell, "shell"), bareProcess(children));
    }
  }

  /** The mean of the server's own times of these turns, in milliseconds. */
  private double turns(ShellRig shell, String text, int count) throws IOException {
    Metrics metrics = shell.rig().metrics();
    double turns = metrics.sum("holdfast_turn_seconds_count");
    double secs = metrics.sum("holdfast_turn_seconds_sum");
    for (int i = 0; i < count; i++) {
      shell.say("tool-" + messages++, "t" + messages / 50, text); // short contexts
    }
    return 1000
        * (metrics.sum("holdfast_turn_seconds_sum") - secs)
        / (metrics.sum("holdfast_turn_seconds_count") - turns);
  }

  private static String mean(ShellRig shell, String tool) throws IOException {
    String label = "tool=\"" + tool + "\"";
    double count = 0;
    double sum = 0;
    for (String line : shell.rig().metrics().text().lines().toList()) {
      if (line.contains(label) && line.startsWith("holdfast_tool_seconds_count")) {
        count += Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1));
      } else if (line.contains(label) && line.startsWith("holdfast_tool_seconds_sum")) {
        sum += Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1));
      }
    }
    return Report.millis(count == 0 ? 0 : 1000 * sum / count);
  }

  private static String bareRead(int count) throws IOException {
    Path folder = ServerRig.newFolder("holdfast-read");
    try {
      Path file = Files.writeString(folder.resolve("x"), "hello");
      long start = System.nanoTime();
      for (int i = 0; i < count; i++) {
        Files.readString(file);
      }
      return "Files.readString " + Report.millis((System.nanoTime() - start) / 1e6 / count);
    } finally {
      ServerRig.delete(folder);
    }
  }

  private static String bareProcess(int count) throws IOException, InterruptedException {
    long start = System.nanoTime();
    for (int i = 0; i < count; i++) {
      new ProcessBuilder("/bin/bash", "-c", "true").start().waitFor();
    }
    return "ProcessBuilder " + Report.millis((System.nanoTime() - start) / 1e6 / count);
  }
}
