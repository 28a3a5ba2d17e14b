package dev.holdfast.whatsapp;

import dev.holdfast.api.Plugin;
import dev.holdfast.api.PluginConfig;
import dev.holdfast.api.PluginContext;
import dev.holdfast.kit.ChannelAccounts;
import dev.holdfast.kit.PostPieces;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.regex.Pattern;

/** Offers the channel {@code whatsapp}, as the section {@code channels.whatsapp} has it. */
public final class WhatsAppPlugin implements Plugin {
  private static final String API = "https://graph.facebook.com";
  private static final String VERSION = "v24.0";
  private static final Pattern VERSIONS = Pattern.compile("v[0-9]{1,3}\\.[0-9]{1,3}");
  private static final int ACCOUNTS_MAX = 20;
  private static final int UPLOADS_MAX = 2;

  @Override
  public void start(PluginContext context) throws IOException {
    PluginConfig section = context.channelConfig(WhatsAppChannel.NAME);
    String baseUrl = ChannelAccounts.baseUrl(section, "base_url", API);
    String version = version(section);
    Map<String, BusinessNumber> numbers = new LinkedHashMap<>();
    for (WhatsAppAccount account : accounts(section, context)) {
      if (!account.isComplete()) {
        return; // the problem was reported, so nothing of this is offered
      }
      BusinessNumber number = new BusinessNumber(context, account, baseUrl, version);
      if (numbers.put(account.phoneNumberId(), number) != null) {
        section.problem(
            "accounts", "accounts must have a phone_number_id each, and two have the same");
      }
    }
    PostPieces pieces =
        new PostPieces(context.stateFolder().resolve("posts.json"), context.logger());
    Semaphore uploads = new Semaphore(UPLOADS_MAX);
    context.offer(
        new WhatsAppChannel(
            numbers.values().stream()
                .map(number -> served(number, numbers, pieces, uploads))
                .toList()));
  }

  private static WhatsAppChannel.ServedNumber served(
      BusinessNumber number,
      Map<String, BusinessNumber> numbers,
      PostPieces pieces,
      Semaphore uploads) {
    return new WhatsAppChannel.ServedNumber(
        number,
        new WhatsAppIntake(number, numbers),
        new WhatsAppPosts(
            number, new MediaUploads(number, uploads, MediaUploads.PLACE_MAX), pieces),
        new MediaDownloads(number.api(), number.account().phoneNumberId()));
  }

  private static String version(PluginConfig section) {
    String said = section.text("version", VERSION).strip();
    if (!VERSIONS.matcher(said).matches()) {
      section.problem(
          "version", "version must be one of the Graph API, such as " + VERSION + ", got " + said);
      return VERSION;
    }
    return said;
  }

  private static List<WhatsAppAccount> accounts(PluginConfig section, PluginContext context) {
    String publicUrl = ChannelAccounts.publicUrl(section, "");
    List<WhatsAppAccount> accounts = new ArrayList<>();
    ChannelAccounts.of(section)
        .forEach(
            (name, each) ->
                accounts.add(WhatsAppAccount.read(each, name, context::secret, publicUrl)));
    if (accounts.size() > ACCOUNTS_MAX) {
      section.problem("accounts", "accounts must be at most " + ACCOUNTS_MAX);
    }
    return accounts;
  }
}
