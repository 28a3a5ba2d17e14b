package dev.holdfast.models;

import dev.holdfast.api.ModelProvider;
import dev.holdfast.models.langchain.LangchainProvider;
import dev.holdfast.models.langchain.ProviderAccount;
import dev.holdfast.net.HttpCaller;
import dev.holdfast.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The providers that the configuration switches on, and the embedded one. */
public final class Providers {
  private static final long ANSWER_BYTES_MAX = 32L * 1024 * 1024;
  private static final Duration LOADING = Duration.ofMinutes(5);

  private Providers() {}

  /** In a fixed order. {@code http} stays the caller's to close. */
  public static List<ModelProvider> of(ModelsConfig config, HttpCaller http, Time time) {
    ModelCatalog catalog = ModelCatalog.load();
    List<ModelProvider> providers = new ArrayList<>();
    providers.add(new EchoModel());
    for (KnownProvider known : KnownProvider.values()) {
      ProviderConfig provider = config.providers().get(known.key());
      if (provider != null && provider.isOn()) {
        ProviderAccount account =
            new ProviderAccount(
                known.key(), provider.apiKey().reveal(), provider.baseUrl(), provider.isLocal());
        providers.add(
            LangchainProvider.of(
                account,
                new LangchainProvider.Connection(
                    http, limits(config.timeouts(), provider.isLocal()), time),
                model -> catalog.windowTokens(known.key() + "/" + model)));
      }
    }
    return List.copyOf(providers);
  }

  /** A local server may have to load the model first and to read the prompt on a slow machine. */
  private static HttpCaller.Limits limits(ModelTimeouts timeouts, boolean isLocal) {
    boolean isShort = timeouts.firstToken().compareTo(LOADING) < 0;
    return new HttpCaller.Limits(
        timeouts.connect(),
        isLocal && isShort ? LOADING : timeouts.firstToken(),
        timeouts.idle(),
        timeouts.total(),
        ANSWER_BYTES_MAX);
  }
}
