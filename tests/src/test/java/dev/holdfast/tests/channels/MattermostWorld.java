package dev.holdfast.tests.channels;

import dev.holdfast.kit.testing.MattermostDouble;
import dev.holdfast.tests.harness.Await;
import dev.holdfast.tests.harness.Setup;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Mattermost, by its WebSocket. */
final class MattermostWorld implements ChatWorld {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Duration QUIET = Duration.ofSeconds(10);

  private final MattermostDouble mattermost;

  MattermostWorld() throws Exception {
    mattermost = new MattermostDouble();
  }

  @Override
  public String plugin() {
    return "mattermost";
  }

  @Override
  public void configure(Setup setup) {
    Map<String, Object> account = new LinkedHashMap<>(EVERYBODY);
    account.put("url", mattermost.url());
    account.put("token", MattermostDouble.BOT_TOKEN);
    setup.setNamed("channels.mattermost.accounts", "main", account);
  }

  /** What was written before an account has ever listened is none of its business. */
  @Override
  public String say(int person, String text) {
    Await.until("the bot has listened", LIMIT, mattermost::hasListened);
    return mattermost.say(person, text);
  }

  @Override
  public List<String> shown(int person) {
    return mattermost.shown(person);
  }

  /** Mattermost is not told what was taken: what was delivered has had the time for it. */
  @Override
  public boolean isAllTaken() {
    return mattermost.isQuiet(QUIET);
  }

  @Override
  public void loseAnswers(Random random, int percent) {
    mattermost.loseAnswers(random, percent);
  }

  @Override
  public void close() {
    mattermost.close();
  }
}
