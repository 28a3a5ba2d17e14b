package dev.holdfast.tools.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.tools.memory.MemoryPage.Fact;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class MemoryPageTest {
  private static final String MARK = " <!-- by 0123456789ab -->";

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void whatIsNotExactlyALineOfHoldfastsIsAPersons() {
    MemoryPage page =
        MemoryPage.of(
            bytes(
                "# Notes\n"
                    + "- 2026-01-02: tea"
                    + MARK
                    + "\n"
                    + "- 2026-01-02: without a mark\n"
                    + "- 2026-01-02: a mark <!-- by 0123456789ab --> in the middle\n"
                    + "* 2026-01-02: another list"
                    + MARK
                    + "\n"
                    + "- 2026-13-02: no such day"
                    + MARK
                    + "\n"
                    + "- 2026-01-02: other line ends"
                    + MARK
                    + "\r\n"
                    + "- 2026-01-03: two marks"
                    + MARK
                    + " <!-- by ba9876543210 -->"));
    assertThat(page.facts()).extracting(Fact::text).containsExactly("tea", "two marks");
    assertThat(page.facts().getFirst().day()).isEqualTo(LocalDate.of(2026, 1, 2));
    assertThat(page.lines()).hasSize(8);
  }

  @Test
  void theBytesOfPeopleStayWhateverTheyAre() {
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    file.writeBytes(bytes("\n\n  mine \t\r\n"));
    file.writeBytes(bytes("- 2026-01-02: tea" + MARK + "\n"));
    file.writeBytes(new byte[] {(byte) 0xff, (byte) 0xfe, 0, '\n'});
    file.writeBytes(bytes("- 2026-01-02: cake" + MARK + "\n"));
    file.writeBytes(bytes("the end without a line end"));
    MemoryPage page = MemoryPage.of(file.toByteArray());
    assertThat(page.with(Map.of())).isEqualTo(file.toByteArray());
    Fact other = new Fact(LocalDate.of(2026, 2, 3), "pie", MARK);
    ByteArrayOutputStream expected = new ByteArrayOutputStream();
    expected.writeBytes(bytes("\n\n  mine \t\r\n"));
    expected.writeBytes(bytes("- 2026-02-03: pie" + MARK + "\n"));
    expected.writeBytes(new byte[] {(byte) 0xff, (byte) 0xfe, 0, '\n'});
    expected.writeBytes(bytes("the end without a line end"));
    assertThat(page.with(Map.of(0, Optional.of(other), 1, Optional.empty())))
        .isEqualTo(expected.toByteArray());
  }

  @Test
  void aLastLineWithoutAnEndStaysWithoutOne() {
    byte[] file = bytes("- 2026-01-02: tea" + MARK);
    MemoryPage page = MemoryPage.of(file);
    assertThat(page.with(Map.of())).isEqualTo(file);
    assertThat(page.with(Map.of(0, Optional.of(page.facts().getFirst())))).isEqualTo(file);
    assertThat(page.with(Map.of(0, Optional.empty()))).isEmpty();
    assertThat(MemoryPage.of(new byte[0]).lines()).isEmpty();
  }
}
