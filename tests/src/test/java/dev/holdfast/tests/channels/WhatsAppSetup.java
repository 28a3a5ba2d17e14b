package dev.holdfast.tests.channels;

import dev.holdfast.kit.testing.GraphApiDouble;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Setup;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** A server with the bundled jar of WhatsApp in its folder of plugins, and Meta beside it. */
final class WhatsAppSetup {
  static final Duration LIMIT = Duration.ofSeconds(25);
  static final String ANN = "US.13491208655302741918";
  static final String BOB = "4915112345678";
  static final String VERIFY_TOKEN = "verify-canary-3f";

  private WhatsAppSetup() {}

  /** Ann and Bob are answered. */
  static Setup configure(Setup setup, GraphApiDouble meta) {
    meta.deliverTo(setup.url("/webhooks/whatsapp/main"));
    return setup
        .plugin("whatsapp")
        .env("WHATSAPP_TOKEN", GraphApiDouble.TOKEN)
        .env("WHATSAPP_APP_SECRET", GraphApiDouble.APP_SECRET)
        .env("WHATSAPP_VERIFY_TOKEN", VERIFY_TOKEN)
        .set("channels.whatsapp.base_url", meta.url())
        .set("channels.whatsapp.public_url", setup.url(""))
        .set(
            "channels.whatsapp.accounts.main",
            Map.of(
                "phone_number_id",
                GraphApiDouble.NUMBER,
                "allow",
                Map.of("users", List.of(ANN, BOB))));
  }

  /** Waits until a person was sent exactly these texts. */
  static void awaitTexts(GraphApiDouble meta, String person, List<String> texts) {
    Await.until(
        person + " was sent " + texts + ", not " + meta.texts(person),
        LIMIT,
        () -> meta.texts(person).equals(texts));
  }
}
