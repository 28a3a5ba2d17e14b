package dev.holdfast.extensions;

import dev.holdfast.api.Tool;
import dev.holdfast.registry.Registration;
import dev.holdfast.registry.RegistrationRefusedException;
import dev.holdfast.tools.Toolbox;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The tools of one extension in the toolbox: what is listed anew takes the old one's place.
 *
 * @param <F> the facts of a tool: two that are equal are the same tool, and the one that is there
 *     stays
 */
final class OfferedTools<F> {
  /** More would fill a model's window. */
  static final int OFFERED_MAX = 200;

  private static final int NAME_UNITS_MAX = 64;
  private static final int REFUSED_SHOWN_MAX = 20;
  private static final int REASON_UNITS_MAX = 300;

  private final Toolbox toolbox;
  private final Map<String, Entry<F>> offered = new TreeMap<>();
  private List<String> refused = List.of();

  /** Something to be offered. */
  record Offer<F>(F facts, Tool tool) {}

  private record Entry<F>(F facts, Registration registration) {}

  OfferedTools(Toolbox toolbox) {
    this.toolbox = toolbox;
  }

  /**
   * The name of an extension's tool as models call it: only what every provider takes, and no
   * longer.
   */
  static String name(String id, String tool) {
    String plain = (id + "_" + tool).replaceAll("[^A-Za-z0-9_-]", "_");
    if (plain.length() <= NAME_UNITS_MAX) {
      return plain;
    }
    String mark = "_" + hash(tool).substring(0, 8);
    return plain.substring(0, NAME_UNITS_MAX - mark.length()) + mark;
  }

  /**
   * Which of two tools that models would call the same is offered: the one whose name need not be
   * changed for that, else the one whose name comes first.
   */
  static Comparator<ListedTool> claims(String id) {
    return Comparator.comparing(
            (ListedTool tool) -> !name(id, tool.name()).equals(id + "_" + tool.name()))
        .thenComparing(ListedTool::name);
  }

  static String hash(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** By the names that models call. A tool that cannot be offered leaves a reason behind. */
  synchronized void replace(Map<String, Offer<F>> wanted) {
    replace(wanted, List.of(), List.of());
  }

  /**
   * As the other one.
   *
   * @param unoffered why some are not even wanted, in any number
   * @param unlisted the same, as it is shown
   */
  synchronized void replace(
      Map<String, Offer<F>> wanted, List<String> unoffered, List<String> unlisted) {
    List<String> reasons = new ArrayList<>(unoffered);
    List.copyOf(offered.keySet()).stream()
        .filter(name -> !isSame(offered.get(name), wanted.get(name)))
        .forEach(this::remove);
    int beyond = 0;
    for (Map.Entry<String, Offer<F>> each : wanted.entrySet()) {
      if (offered.size() < OFFERED_MAX || offered.containsKey(each.getKey())) {
        add(each.getKey(), each.getValue(), reasons);
      } else {
        beyond++;
      }
    }
    List<String> all = new ArrayList<>(shown(reasons));
    if (beyond > 0) {
      all.add(beyond + " tools: no more than " + OFFERED_MAX + " of one extension are offered");
    }
    all.addAll(unlisted);
    refused = List.copyOf(all);
  }

  private static boolean isSame(@Nullable Entry<?> entry, @Nullable Offer<?> offer) {
    return entry != null && offer != null && entry.facts().equals(offer.facts());
  }

  private void add(String name, Offer<F> offer, List<String> reasons) {
    if (offered.containsKey(name)) {
      return;
    }
    try {
      offered.put(name, new Entry<>(offer.facts(), toolbox.add(offer.tool())));
    } catch (RegistrationRefusedException e) {
      reasons.add(name + ": " + e.getMessage());
    }
  }

  /** So many of them, and so much of each, as people read. */
  static List<String> shown(List<String> reasons) {
    List<String> some = new ArrayList<>();
    reasons.stream()
        .limit(REFUSED_SHOWN_MAX)
        .forEach(reason -> some.add(Texts.cut(reason, REASON_UNITS_MAX)));
    if (reasons.size() > REFUSED_SHOWN_MAX) {
      some.add("and " + (reasons.size() - REFUSED_SHOWN_MAX) + " more");
    }
    return List.copyOf(some);
  }

  private void remove(String name) {
    Entry<F> entry = offered.remove(name);
    if (entry != null) {
      entry.registration().remove();
    }
  }

  synchronized void clear() {
    List.copyOf(offered.keySet()).forEach(this::remove);
  }

  synchronized List<String> names() {
    return List.copyOf(offered.keySet());
  }

  /** Of those that are offered, in the order of their names. */
  synchronized List<F> facts() {
    return offered.values().stream().map(Entry::facts).toList();
  }

  /** Why some are not offered. */
  synchronized List<String> refused() {
    return refused;
  }
}
