package dev.holdfast.tests.channels;

import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.GraphApiDouble;
import dev.holdfast.tests.harness.ServerRig;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** A server with the bundled jar of WhatsApp in its folder of plugins, and Meta beside it. */
final class WhatsAppSetup implements AutoCloseable {
  static final Duration LIMIT = Duration.ofSeconds(25);
  static final String ANN = "US.13491208655302741918";
  static final String VERIFY_TOKEN = "verify-canary-3f";

  final ServerRig rig = new ServerRig();
  final GraphApiDouble meta = new GraphApiDouble();

  /** To be started. */
  WhatsAppSetup() {
    meta.deliverTo(rig.setup().url("/webhooks/whatsapp/main"));
    rig.setup()
        .env("WHATSAPP_TOKEN", GraphApiDouble.TOKEN)
        .env("WHATSAPP_APP_SECRET", GraphApiDouble.APP_SECRET)
        .env("WHATSAPP_VERIFY_TOKEN", VERIFY_TOKEN)
        .set("channels.whatsapp.base_url", meta.url())
        .set("channels.whatsapp.public_url", rig.setup().url(""))
        .set(
            "channels.whatsapp.accounts.main",
            Map.of(
                "phone_number_id",
                GraphApiDouble.NUMBER,
                "allow",
                Map.of("users", List.of(ANN, "4915112345678"))));
  }

  /** Starts the server; returns when the channel is there. */
  WhatsAppSetup start() throws IOException {
    rig.setup().plugin("whatsapp");
    rig.start();
    awaitChannel();
    return this;
  }

  void awaitChannel() {
    Await.until(
        "the channel is there",
        LIMIT,
        () -> {
          String plugins = rig.api().get("/api/v1/plugins").body();
          if (plugins.contains("\"parked\"")) {
            throw new AssertionError(plugins);
          }
          return plugins.contains("channel whatsapp");
        });
  }

  /** Waits until a person was sent exactly these texts. */
  void awaitTexts(String person, List<String> texts) {
    Await.until(
        person + " was sent " + texts + ", not " + meta.texts(person),
        LIMIT,
        () -> meta.texts(person).equals(texts));
  }

  @Override
  public void close() {
    rig.close();
    meta.close();
  }
}
