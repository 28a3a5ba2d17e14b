package dev.holdfast.tests.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Measures the jar beside the bare limits of this machine, in one run.
 *
 * <p>Usage: {@code bench [--quick] [row ...]}; without names all rows run. Quick mode takes shorter
 * spans and smaller numbers: good for a look, not for a claim.
 */
public final class Bench {
  private Bench() {}

  public static void main(String[] arguments) {
    QuietLog.set();
    Map<String, Row> rows = rows();
    List<String> wanted = new ArrayList<>(List.of(arguments));
    boolean quick = wanted.remove("--quick");
    if (wanted.contains("--help") || !rows.keySet().containsAll(wanted)) {
      System.out.println("usage: bench [--quick] [row ...]; rows: " + rows.keySet());
      System.exit(wanted.contains("--help") ? 0 : 64);
    }
    Report report = new Report(System.out);
    Machine.describe(report, quick);
    int failed = 0;
    for (Map.Entry<String, Row> row : rows.entrySet()) {
      if (wanted.isEmpty() || wanted.contains(row.getKey())) {
        failed += run(row.getKey(), row.getValue(), new Scale(quick), report);
      }
    }
    System.exit(failed == 0 ? 0 : 1);
  }

  private static Map<String, Row> rows() {
    Map<String, Row> rows = new LinkedHashMap<>();
    rows.put("fsync", new FsyncRow());
    rows.put("acks", new AckRow());
    rows.put("channels", new ChannelRow());
    rows.put("pending", new PendingRow());
    rows.put("turns", new TurnRow());
    rows.put("tools", new ToolRow());
    rows.put("extensions", new ExtensionRow());
    rows.put("plans", new PlanRow());
    rows.put("plugins", new PluginRow());
    rows.put("context", new ContextRow());
    rows.put("start", new StartRow());
    rows.put("warm", new WarmRow());
    rows.put("memory", new MemoryRow());
    rows.put("recovery", new RecoveryRow());
    rows.put("floods", new FloodRow());
    rows.put("page", new PageRow());
    rows.put("backup", new BackupRow());
    rows.put("bus", new BusRow());
    return rows;
  }

  private static int run(String name, Row row, Scale scale, Report report) {
    report.heading(name);
    try {
      row.run(scale, report);
      return 0;
    } catch (Exception | Error e) {
      // One row that cannot be measured must not hide the others.
      report.line("failed: " + e);
      return 1;
    }
  }
}
