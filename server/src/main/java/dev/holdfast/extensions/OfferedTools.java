package dev.holdfast.extensions;

import dev.holdfast.api.Tool;
import dev.holdfast.registry.Registration;
import dev.holdfast.registry.RegistrationRefusedException;
import dev.holdfast.tools.Toolbox;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The tools of one extension in the toolbox: what is listed anew takes the old one's place. */
final class OfferedTools {
  /** More would fill a model's window. */
  static final int OFFERED_MAX = 200;

  private static final int NAME_UNITS_MAX = 64;
  private static final int REFUSED_SHOWN_MAX = 20;
  private static final int REASON_UNITS_MAX = 300;

  private final Toolbox toolbox;
  private final Map<String, Entry> offered = new TreeMap<>();
  private List<String> refused = List.of();

  /**
   * Something to be offered.
   *
   * @param facts two that are equal are the same tool: the one that is there stays
   */
  record Offer(Object facts, Tool tool) {}

  private record Entry(Object facts, Registration registration) {}

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
  synchronized void replace(Map<String, Offer> wanted) {
    List<String> reasons = new ArrayList<>();
    List.copyOf(offered.keySet()).stream()
        .filter(name -> !isSame(offered.get(name), wanted.get(name)))
        .forEach(this::remove);
    int beyond = 0;
    for (Map.Entry<String, Offer> each : wanted.entrySet()) {
      if (offered.size() < OFFERED_MAX || offered.containsKey(each.getKey())) {
        add(each.getKey(), each.getValue(), reasons);
      } else {
        beyond++;
      }
    }
    refused = shown(reasons, beyond);
  }

  private static boolean isSame(@Nullable Entry entry, @Nullable Offer offer) {
    return entry != null && offer != null && entry.facts().equals(offer.facts());
  }

  private void add(String name, Offer offer, List<String> reasons) {
    if (offered.containsKey(name)) {
      return;
    }
    try {
      offered.put(name, new Entry(offer.facts(), toolbox.add(offer.tool())));
    } catch (RegistrationRefusedException e) {
      reasons.add(Texts.cut(name + ": " + e.getMessage(), REASON_UNITS_MAX));
    }
  }

  private static List<String> shown(List<String> reasons, int beyond) {
    List<String> some =
        new ArrayList<>(reasons.subList(0, Math.min(reasons.size(), REFUSED_SHOWN_MAX)));
    if (reasons.size() > REFUSED_SHOWN_MAX) {
      some.add("and " + (reasons.size() - REFUSED_SHOWN_MAX) + " more");
    }
    if (beyond > 0) {
      some.add(beyond + " tools: no more than " + OFFERED_MAX + " of one extension are offered");
    }
    return List.copyOf(some);
  }

  private void remove(String name) {
    Entry entry = offered.remove(name);
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

  /** Why some are not offered. */
  synchronized List<String> refused() {
    return refused;
  }
}
