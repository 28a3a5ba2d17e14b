package dev.holdfast.models;

import dev.holdfast.config.Check;
import dev.holdfast.config.RefusedValueException;
import dev.holdfast.config.Secret;
import dev.holdfast.config.Section;

/**
 * How one provider is reached.
 *
 * @param baseUrl empty: the provider's own address
 * @param isLocal whether it runs on this machine and needs no key
 * @param concurrentMax calls at once
 */
public record ProviderConfig(Secret apiKey, String baseUrl, boolean isLocal, int concurrentMax) {
  public ProviderConfig {
    Check.inRange("max_concurrent", concurrentMax, 1, 10_000);
    if (!baseUrl.isEmpty() && !baseUrl.matches("https?://[^/?#\\s]+[^?#\\s]*")) {
      throw new RefusedValueException(
          "base_url", "base_url must be an http:// or https:// address");
    }
  }

  /** {@code key} and {@code url} are what holds when the file says nothing. */
  static ProviderConfig from(Section provider, KnownProvider known, String key, String url) {
    Secret given = provider.secret("api_key");
    String base = provider.text("base_url", url);
    return new ProviderConfig(
        given.isEmpty() ? new Secret(key) : given,
        base.isEmpty() ? url : base,
        provider.flag("local", known.isLocal()),
        provider.whole("max_concurrent", known.isLocal() ? 2 : 32));
  }

  /** By its key; a local one by its address. */
  public boolean isOn() {
    return !apiKey.isEmpty() || (isLocal && !baseUrl.isEmpty());
  }
}
