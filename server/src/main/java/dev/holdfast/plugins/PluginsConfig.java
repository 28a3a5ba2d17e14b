package dev.holdfast.plugins;

import dev.holdfast.config.RefusedValueException;
import dev.holdfast.config.Section;
import java.util.Set;
import java.util.TreeSet;

/**
 * The {@code plugins} section of holdfast.yaml, without the sections of the plugins themselves.
 *
 * @param signers fingerprints of the certificates that are trusted, SHA-256 in hexadecimal
 */
public record PluginsConfig(Trust trust, Set<String> signers) {
  /** Whose jars are loaded. */
  public enum Trust {
    /** The first jar of a version is trusted; another one of that version is refused. */
    TOFU,
    /** Each new jar waits for the operator. */
    PINNED,
    /** Jars of which everything is signed by a configured signer. */
    SIGNED
  }

  public PluginsConfig {
    signers = Set.copyOf(signers);
    if (trust == Trust.SIGNED && signers.isEmpty()) {
      throw new RefusedValueException(
          "trust", "trust: signed needs signers: the SHA-256 of at least one certificate");
    }
    for (String signer : signers) {
      if (!signer.matches("[0-9a-f]{64}")) {
        throw new RefusedValueException(
            "signers",
            "signers must be SHA-256 fingerprints of 64 hexadecimal digits, got " + signer);
      }
    }
  }

  public static PluginsConfig from(Section plugins) {
    Trust trust = plugins.choice("trust", Trust.class, Trust.TOFU);
    Set<String> signers = new TreeSet<>();
    for (String signer : plugins.texts("signers", java.util.List.of())) {
      signers.add(signer.replace(":", "").toLowerCase(java.util.Locale.ROOT));
    }
    Set<String> _ = plugins.leaveOthers();
    return new PluginsConfig(trust, signers);
  }
}
