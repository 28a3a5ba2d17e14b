package dev.holdfast.agents.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.Message;
import dev.holdfast.api.ToolCall;
import dev.holdfast.store.ledgers.AuditRow;
import dev.holdfast.store.messages.Event;
import dev.holdfast.time.ManualTime;
import dev.holdfast.tools.files.Backups.RolledBack;
import dev.holdfast.tools.files.ChangeServices;
import dev.holdfast.tools.files.FileTools;
import dev.holdfast.tools.files.FilesConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Whole turns in which a model works with files. */
class FileTurnTest {
  @RegisterExtension final AgentRigs rigs = new AgentRigs();
  private final ScriptedProvider model = rigs.model;
  private final AgentRig.Options options = rigs.options;

  @Test
  void aModelWritesEditsAndReadsAndTheOperatorUndoesIt() throws Exception {
    model
        .calls(call("c1", "write_file", "{\"path\":\"n/a.txt\",\"content\":\"one\"}"))
        .calls(call("c2", "edit_file", "{\"path\":\"n/a.txt\",\"old\":\"one\",\"new\":\"two\"}"))
        .calls(call("c3", "read_file", "{\"path\":\"n/a.txt\"}"))
        .says("done");
    FileTools files = world();
    AgentRig world = rigs.opened();
    Event event = world.send("t", "k1", "go");
    assertThat(world.answerOf(event)).isEqualTo("done");
    assertThat(model.requests().getLast().messages())
        .contains(new Message.ToolResult("c3", "read_file", "1\ttwo\n", false));
    Path file = world.store.threads().of("web:main:t").scratch().resolve("n/a.txt");
    assertThat(file).hasContent("two");
    List<AuditRow> told = world.store.audit().ofExecution(event.id() + ".2.1");
    assertThat(told).hasSize(1);

    assertThat(files.backups().rollback(event.id() + ".2.1", "op", false))
        .isEqualTo(new RolledBack.Undone(1));
    assertThat(file).hasContent("one");
    assertThat(files.backups().rollback(event.id() + ".1.1", "op", false))
        .isEqualTo(new RolledBack.Undone(1));
    assertThat(Files.exists(file.getParent())).isFalse();
    assertThat(world.store.audit().ofExecution(event.id() + ".2.1")).hasSize(2);
  }

  private static ToolCall call(String id, String tool, String arguments) {
    return new ToolCall(id, tool, arguments);
  }

  private FileTools world() throws Exception {
    FileTools files =
        FileTools.open(
            new FilesConfig(true, List.of(), new FilesConfig.Retention(30, 100)),
            rigs.folder(),
            List::of,
            new ChangeServices(
                new ManualTime(),
                entry -> rigs.opened().store.audit().append(entry),
                text -> {
                  throw new AssertionError(text);
                },
                event -> rigs.opened().store.inbox().find(event).orElseThrow().state().isOpen()));
    options.tools = files.tools();
    rigs.open();
    return files;
  }
}
