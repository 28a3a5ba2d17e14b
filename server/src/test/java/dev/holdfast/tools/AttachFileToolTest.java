package dev.holdfast.tools;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.media.AttachmentsConfig;
import dev.holdfast.media.Samples;
import dev.holdfast.store.Store;
import dev.holdfast.store.TestStore;
import dev.holdfast.store.messages.ReplyFile;
import dev.holdfast.store.threads.AttachmentFolder;
import dev.holdfast.time.ManualTime;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.json.JsonObject;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class AttachFileToolTest {
  @TempDir Path data;
  @AutoClose private Store store;
  private AttachmentFolder folder;
  private AttachFileTool tool;
  private Path scratch;

  @BeforeEach
  void open() throws Exception {
    store = TestStore.open(data, new ManualTime(), new SimpleMeterRegistry());
    folder = store.threads().of("web:main:t").attachments();
    scratch = store.threads().of("web:main:t").scratch();
    tool =
        new AttachFileTool(
            id -> store.threads().of(id).attachments(), AttachmentsConfig.defaults());
  }

  private ToolResult attach(String path) {
    ToolContext context =
        new ToolContext(
            "web:main:t", "e", "me", "c", "E.1.2", scratch, ToolContext.Progress.SILENT);
    return tool.run(new JsonObject().put("path", path).encode(), context);
  }

  @Test
  void theAnswerGetsACopyOfTheFileAsItIsNow() throws Exception {
    Files.createDirectory(scratch.resolve("sub"));
    Files.write(scratch.resolve("sub/My plot.png"), Samples.png(8, 8));
    ReplyFile file =
        AttachFileTool.attached("attach_file", attach("sub/My plot.png")).orElseThrow();
    Files.writeString(scratch.resolve("sub/My plot.png"), "changed");
    assertThat(file.name()).isEqualTo("My plot.png");
    assertThat(file.mediaType()).isEqualTo("image/png");
    assertThat(file.file()).isEqualTo("out-e-1-2.png");
    assertThat(Files.readAllBytes(folder.find(file.file()).orElseThrow()))
        .isEqualTo(Samples.png(8, 8))
        .hasSize((int) file.bytes());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "../meta.json",
        "/etc/passwd",
        "sub/../../meta.json",
        "link",
        "links/passwd",
        "fifo",
        "folder",
        "hard",
        "huge",
        "missing",
        ".",
        "a//b",
        "x\u0000y",
        "link/.."
      })
  void nothingLeadsOutAndOnlyPlainFilesAreTaken(String path) throws Exception {
    Path outside = data.resolve("secret");
    Files.writeString(outside, "secret");
    Files.createSymbolicLink(scratch.resolve("link"), outside);
    Files.createSymbolicLink(scratch.resolve("links"), Path.of("/etc"));
    Files.createLink(scratch.resolve("hard"), outside);
    Files.createDirectory(scratch.resolve("folder"));
    assertThat(new ProcessBuilder("mkfifo", scratch.resolve("fifo").toString()).start().waitFor())
        .isZero();
    try (RandomAccessFile huge = new RandomAccessFile(scratch.resolve("huge").toFile(), "rw")) {
      huge.setLength(1L << 33);
    }
    ToolResult result = attach(path);
    assertThat(result.isError()).isTrue();
    assertThat(result.text()).doesNotContain(data.toString());
    assertThat(AttachFileTool.attached("attach_file", result)).isEmpty();
  }
}
