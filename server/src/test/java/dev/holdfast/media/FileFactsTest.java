package dev.holdfast.media;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FileFactsTest {
  private static byte[] latin(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  @ParameterizedTest
  @CsvSource({"png, PNG", "jpg, JPEG", "gif, GIF"})
  void anImageTellsItsSize(String format, FileType type) {
    FileFacts facts = FileFacts.of(Samples.image(format, 640, 48));
    assertThat(facts).isEqualTo(new FileFacts(type, 640, 48));
    assertThat(facts.isShowable()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    // RIFF, size, WEBP, then: VP8X with 640x48; VP8L with 640x48; VP8 with 640x48
    "52494646160000005745425056503858 0a000000 00000000 7f0200 2f0000",
    "52494646160000005745425056503 84c 0a000000 2f 7fc20b00 0000000000",
    "52494646160000005745425056503820 0a000000 000000 9d012a 8002 3000"
  })
  void aWebpTellsItsSize(String hex) {
    byte[] bytes = HexFormat.of().parseHex(hex.replace(" ", ""));
    assertThat(FileFacts.of(bytes)).isEqualTo(new FileFacts(FileType.WEBP, 640, 48));
  }

  @Test
  void whatWasCutOffIsNoImage() {
    byte[] png = Samples.png(64, 64);
    assertThat(FileFacts.of(Arrays.copyOf(png, png.length - 12)).type()).isEqualTo(FileType.BINARY);
    assertThat(FileFacts.of(Arrays.copyOf(Samples.image("jpg", 9, 9), 40)).type())
        .isEqualTo(FileType.BINARY);
  }

  @Test
  void anImageOfBillionsOfPixelsIsNotShown() {
    byte[] png = Samples.png(64, 64);
    png[16] = 0x40;
    assertThat(FileFacts.of(png).isShowable()).isFalse();
    png[16] = (byte) 0x80;
    assertThat(FileFacts.of(png).type()).isEqualTo(FileType.BINARY);
  }

  @Test
  void theBytesDecideWhatElseItIs() {
    assertThat(FileFacts.of(latin("%PDF-1.7 ...")).type()).isEqualTo(FileType.PDF);
    assertThat(FileFacts.of(latin("PK\3\4...")).type()).isEqualTo(FileType.ZIP);
    assertThat(FileFacts.of("Grüße\n".getBytes(StandardCharsets.UTF_8)).type())
        .isEqualTo(FileType.TEXT);
    assertThat(FileFacts.of(latin("<svg xmlns='x'><script>1</script></svg>")).type())
        .isEqualTo(FileType.TEXT);
    assertThat(FileFacts.of(latin("gr\u00fc\u00dfe")).type()).isEqualTo(FileType.BINARY);
    assertThat(FileFacts.of(latin("a\0b")).type()).isEqualTo(FileType.BINARY);
  }

  @Test
  void noBytesMakeItThrow() {
    Random random = new Random(7);
    for (String start :
        new String[] {
          "\u0089PNG\r\n\u001a\n", "\u00ff\u00d8\u00ff", "GIF89a", "RIFF\0\0\0\0WEBPVP8 "
        }) {
      for (int length = 0; length < 120; length++) {
        byte[] tail = new byte[length];
        random.nextBytes(tail);
        byte[] all = Arrays.copyOf(latin(start), start.length() + length);
        System.arraycopy(tail, 0, all, start.length(), length);
        assertThat(FileFacts.of(all)).isNotNull();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"../../etc/passwd", "C:\\temp\\passwd", "pass\u202ewd", "\npasswd\r", "\"passwd"})
  void aNameIsShownWithoutWhatItHides(String name) {
    assertThat(FileNames.shown(name)).isEqualTo("passwd");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "..", "/", "a/..", "\0", "   "})
  void aNameIsNeverEmpty(String name) {
    assertThat(FileNames.shown(name)).isEqualTo("file");
  }
}
