package @PACKAGE@;

import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolContext.Progress;
import java.nio.file.Path;

/** Run by build.sh. */
final class GreeterTest {
  private GreeterTest() {}

  static void main() throws InterruptedException {
    ToolContext call =
        new ToolContext("thread", "event", "Ann", "call", "key", Path.of("."), Progress.SILENT);
    String said = Greeter.tool("Welcome").run("{}", call).text();
    if (!said.equals("Welcome, Ann!")) {
      throw new AssertionError("it said: " + said);
    }
  }
}
