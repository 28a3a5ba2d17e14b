package dev.holdfast.codingagent;

import dev.holdfast.agentkit.ActionProgram;
import dev.holdfast.agentkit.ActionProgram.Action;
import dev.holdfast.agentkit.RootFolders;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** What the program can do, and its command line. */
public final class CodingAgent {
  private CodingAgent() {}

  /** Takes its own folder, its settings, and the folders that were granted. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    List<String> given = Arrays.asList(arguments);
    Path own = Path.of(given.getFirst());
    ProgramSettings settings = ProgramSettings.read(given.get(1));
    RootFolders roots = RootFolders.of(given.subList(2, given.size()), WorkAction.workspace(own));
    String searchPath = System.getenv().getOrDefault("PATH", "");
    new ActionProgram(actions(settings, roots, own, searchPath))
        .run(System.in, System.out, System.err);
    System.exit(0); // what a coding agent has left behind holds nothing up
  }

  static Map<String, Action> actions(
      ProgramSettings settings, RootFolders roots, Path own, String searchPath) {
    return Map.of(
        "work",
        request ->
            new WorkAction(InstalledProgram.find(settings, searchPath), settings, roots, own)
                .run(request),
        "check",
        request -> WorkAction.check(request, own));
  }
}
