package dev.holdfast.models.langchain;

/**
 * Who we are at a provider.
 *
 * @param name the provider, for example {@code anthropic}
 * @param secret the key; may be empty where none is needed
 * @param baseUrl empty: the provider's own
 */
public record ProviderAccount(String name, String secret, String baseUrl, boolean isLocal) {
  /** The base address without a slash at its end. */
  String base(String fallback) {
    String url = baseUrl.isBlank() ? fallback : baseUrl.strip();
    return url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
  }

  @Override
  public String toString() {
    return name + " at " + (baseUrl.isBlank() ? "its own address" : baseUrl);
  }
}
