package dev.holdfast.tests.page;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Download;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.FilePayload;
import com.microsoft.playwright.options.ReducedMotion;
import dev.holdfast.tests.harness.Outside;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Files on the page: chosen, dropped, left out, refused; and those that come with an answer. */
@Outside(
    covers = {
      "server/src/main/resources/web",
      "server/src/main/java/dev/holdfast/ingress",
      "tests/src/test/java/dev/holdfast/tests/page/ChatPage.java"
    })
@InBrowser
class FilesPageTest {
  @RegisterExtension static final BrowserPages PAGES = BrowserPages.FREE;
  private static final String MIDDLE =
      "canvas => [...canvas.getContext('2d').getImageData(48, 48, 1, 1).data].join()";

  private static FilePayload text(String name, String content) {
    return new FilePayload(name, "text/plain", content.getBytes(StandardCharsets.UTF_8));
  }

  private static Locator tray(ChatPage chat) {
    return chat.page().locator("#tray li");
  }

  private static void choose(ChatPage chat, FilePayload... files) {
    chat.page().locator("#files").setInputFiles(files);
  }

  private static String save(ChatPage chat, Locator link) throws IOException {
    Download download = chat.page().waitForDownload(link::click);
    return Files.readString(download.path());
  }

  @Test
  void aChosenFileGoesWithTheMessageAndCanBeLoadedAgain() throws IOException {
    try (ChatPage chat = PAGES.open()) {
      choose(chat, text("notes.txt", "one\ntwo"), text("<b>odd</b>.txt", "three"));
      assertThat(tray(chat)).hasCount(2);
      chat.awaitText(tray(chat).last(), "<b>odd</b>.txt");
      chat.picture("files-tray");
      chat.page().getByLabel("Remove <b>odd</b>.txt").press("Enter");
      assertThat(tray(chat)).hasCount(1);
      chat.converse("look at this");
      assertThat(chat.page().locator("#tray")).isHidden();
      Locator link = chat.messages().last().locator(".files a");
      assertThat(link).hasText("notes.txt (7 bytes)");
      chat.page().reload();
      assertThat(link).hasCount(1);
      Assertions.assertThat(save(chat, link)).isEqualTo("one\ntwo");
      chat.picture("files-sent");
      Assertions.assertThat(chat.complaints()).isEmpty();
    }
  }

  @Test
  void aMessageThatIsSentTooSoonWaitsForItsFile() {
    try (ChatPage chat = PAGES.open()) {
      AtomicReference<Route> upload = new AtomicReference<>();
      chat.page().route("**/attachments?*", upload::set);
      chat.box().fill("read it");
      choose(chat, text("late.txt", "it came"));
      chat.page().waitForCondition(() -> upload.get() != null);
      chat.box().press("Enter");
      assertThat(chat.box()).hasValue("read it");
      assertThat(chat.messages()).hasCount(0);
      Objects.requireNonNull(upload.get()).resume();
      chat.awaitNewest("answered");
      assertThat(chat.messages()).hasCount(1);
      assertThat(chat.messages().last().locator(".files a")).containsText("late.txt");
      assertThat(chat.box()).isEmpty();
    }
  }

  /** Seen before it is sent: an image as a thumbnail, of others the kind, name and size. */
  @Test
  void whatIsAttachedIsSeenAndRemovedByTheKeyboard() {
    try (ChatPage chat = PAGES.open()) {
      chat.evaluate(
          """
          async () => {
            const canvas = document.createElement('canvas');
            canvas.width = 300;
            canvas.height = 200;
            const pen = canvas.getContext('2d');
            pen.fillStyle = '#c33';
            pen.fillRect(0, 0, 300, 200);
            const blob = await new Promise((resolve) => canvas.toBlob(resolve));
            const data = new DataTransfer();
            data.items.add(new File([blob], 'red.png', { type: 'image/png' }));
            const kinds = { clipboardData: data, bubbles: true, cancelable: true };
            document.getElementById('say').dispatchEvent(new ClipboardEvent('paste', kinds));
          }
          """);
      Locator picture = tray(chat).locator("canvas");
      assertThat(picture).isVisible();
      Assertions.assertThat(picture.evaluate(MIDDLE)).isEqualTo("204,51,51,255");
      choose(
          chat,
          new FilePayload("broken.png", "image/png", new byte[] {1, 2, 3}),
          text("notes.txt", "x".repeat(3000)));
      assertThat(tray(chat)).hasCount(3);
      assertThat(tray(chat).last().locator(".size")).hasText("3 KB");
      assertThat(tray(chat).last().locator(".picture")).hasText("TXT");
      assertThat(picture).hasCount(1);
      chat.picture("files-preview");
      chat.page()
          .emulateMedia(
              new Page.EmulateMediaOptions()
                  .setColorScheme(ColorScheme.DARK)
                  .setReducedMotion(ReducedMotion.REDUCE));
      chat.page().setViewportSize(390, 780);
      chat.picture("files-preview-phone-dark");
      chat.page().getByLabel("Remove red.png").press("Delete");
      assertThat(chat.page().getByLabel("Remove broken.png")).isFocused();
      chat.page().keyboard().press("Enter");
      chat.page().keyboard().press("Backspace");
      assertThat(tray(chat)).hasCount(0);
      assertThat(chat.box()).isFocused();
      Assertions.assertThat(chat.complaints()).isEmpty();
    }
  }

  /** Dropped anywhere; what the browser would do by itself is to leave the page. */
  @Test
  void aDroppedFileIsTaken() {
    try (ChatPage chat = PAGES.open()) {
      String address = chat.page().url();
      chat.evaluate(
          """
          () => {
            const data = new DataTransfer();
            data.items.add(new File(['dropped'], 'dropped.txt', { type: 'text/plain' }));
            const kinds = { dataTransfer: data, bubbles: true, cancelable: true };
            document.body.dispatchEvent(new DragEvent('dragover', kinds));
            document.body.dispatchEvent(new DragEvent('drop', kinds));
          }
          """);
      chat.awaitText(tray(chat), "dropped.txt");
      chat.converse("here it is");
      assertThat(chat.messages().last().locator(".files a")).containsText("dropped.txt");
      Assertions.assertThat(chat.page().url()).isEqualTo(address);
      Assertions.assertThat(chat.complaints()).isEmpty();
    }
  }

  @Test
  void aFileThatIsTooLargeIsRefusedAndTheMessageIsKept() {
    try (ChatPage chat = PAGES.open()) {
      chat.box().fill("with a file");
      choose(chat, text("large.txt", "x".repeat(2 * BrowserPages.ATTACHMENT_MAX)));
      chat.awaitText(chat.page().locator("#trouble"), "large.txt");
      chat.awaitText(chat.page().locator("#trouble"), "too large");
      assertThat(tray(chat)).hasCount(0);
      assertThat(chat.box()).hasValue("with a file");
    }
  }

  @Test
  void aFileOfAnAnswerIsALink() throws IOException {
    try (ChatPage chat = PAGES.open()) {
      chat.converse("!tool write_file {\"path\": \"report.txt\", \"content\": \"all is well\"}");
      chat.converse("!tool attach_file {\"path\": \"report.txt\"}");
      Locator link = chat.answers().last().locator(".files a");
      chat.awaitText(link, "report.txt");
      Assertions.assertThat(save(chat, link)).isEqualTo("all is well");
      chat.picture("files-answer");
    }
  }
}
