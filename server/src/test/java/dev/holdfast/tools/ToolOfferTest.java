package dev.holdfast.tools;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.ToolSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ToolOfferTest {
  private static final ToolSpec SEARCH = spec("tool_search", 10);
  private static final int WINDOW = 200_000;

  private static ToolSpec spec(String name, int units) {
    return new ToolSpec(name, "x".repeat(units), "{}");
  }

  private static List<ToolSpec> others(int count, int units) {
    return IntStream.range(0, count).mapToObj(i -> spec("t%04d".formatted(i), units)).toList();
  }

  private static ToolOffer offer(List<ToolSpec> others, String... found) {
    return ToolOffer.of(List.of(spec("own", 10)), others, SEARCH, WINDOW, List.of(found));
  }

  private static List<String> names(ToolOffer offer) {
    return offer.specs().stream().map(ToolSpec::name).toList();
  }

  @Test
  void fewToolsAreAllOfferedAndNothingIsSearched() {
    List<ToolSpec> others = others(39, 100);
    List<ToolSpec> all = new ArrayList<>(List.of(spec("own", 10)));
    all.addAll(others);
    assertThat(offer(others, "t0001")).isEqualTo(new ToolOffer(all, List.of(), 0));
  }

  @Test
  void manyToolsAreSearched() {
    ToolOffer offer = offer(others(40, 100));
    assertThat(names(offer)).containsExactly("own", "tool_search");
    assertThat(offer.named()).hasSize(40).contains("t0000", "t0039");
    assertThat(offer.unnamed()).isZero();
  }

  @Test
  void largeToolsAreSearched() {
    assertThat(names(offer(others(2, 14_000)))).containsExactly("own", "t0000", "t0001");
    assertThat(names(offer(others(2, 16_000)))).containsExactly("own", "tool_search");
  }

  @Test
  void theServersOwnToolsAreOfferedHoweverManyTheyAre() {
    List<ToolSpec> own = others(60, 1000);
    assertThat(ToolOffer.of(own, List.of(), SEARCH, 1000, List.of()).specs()).isEqualTo(own);
  }

  @Test
  void whatWasFoundIsOfferedUnlessItIsGone() {
    assertThat(names(offer(others(100, 10), "t0007", "gone", "t0003", "t0007")))
        .containsExactly("own", "tool_search", "t0003", "t0007");
  }

  @Test
  void theNewestOfWhatWasFoundIsOfferedAsFarAsItFits() {
    List<ToolSpec> others = others(50, 12_000);
    assertThat(names(offer(others, "t0001", "t0002", "t0003")))
        .containsExactly("own", "tool_search", "t0002", "t0003");
    List<ToolSpec> huge = others(50, 40_000);
    assertThat(names(offer(huge, "t0001", "t0002"))).containsExactly("own", "tool_search", "t0002");
    String[] all = others(100, 10).stream().map(ToolSpec::name).toArray(String[]::new);
    assertThat(offer(others(100, 10), all).specs()).hasSize(2 + ToolOffer.TOOLS_MAX);
  }

  @Test
  void asManyNamesAreToldAsFit() {
    ToolOffer offer = offer(others(10_000, 10));
    assertThat(offer.named().size() + offer.unnamed()).isEqualTo(10_000);
    assertThat(String.join(", ", offer.named())).hasSizeLessThan(WINDOW * 3 / 20);
    assertThat(offer.named()).hasSizeGreaterThan(4000);
  }
}
