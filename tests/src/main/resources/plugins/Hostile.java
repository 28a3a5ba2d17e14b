import dev.holdfast.api.ChannelAdapter;
import dev.holdfast.api.ListenSpec;
import dev.holdfast.api.MessageSink;
import dev.holdfast.api.ModelAnswer;
import dev.holdfast.api.ModelListener;
import dev.holdfast.api.ModelProvider;
import dev.holdfast.api.ModelRequest;
import dev.holdfast.api.OutboundReply;
import dev.holdfast.api.Plugin;
import dev.holdfast.api.PluginContext;
import dev.holdfast.api.PostOutcome;
import dev.holdfast.api.ReplayClass;
import dev.holdfast.api.Tool;
import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.api.ToolSpec;
import dev.holdfast.api.WebhookRequest;
import dev.holdfast.api.WebhookVerdict;
import java.time.Duration;
import java.util.Map;
import java.util.Set;

/** Does the same evil in every callback but those that say what it is. */
public class Hostile implements Plugin {
  static String id = "";

  private static <T> T misbehave() {
    EVIL
  }

  @SuppressWarnings("unchecked")
  private static <T extends Throwable> void sneak(Throwable thrown) throws T {
    throw (T) thrown;
  }

  /** A class of the plugin's own, which nobody may keep. */
  static class Own extends Error {
    final byte[] weight = new byte[100_000];

    @Override
    public String getMessage() {
      throw new IllegalStateException("not even the message");
    }
  }

  @Override
  public void start(PluginContext context) {
    id = context.id();
    context.offer(new EvilTool());
    context.offer(new EvilChannel());
    context.offer(new EvilProvider());
    context.every("ticks", Duration.ofMillis(200), () -> misbehave());
  }

  @Override
  public void stop() {
    misbehave();
  }

  private static final class EvilTool implements Tool {
    @Override
    public ToolSpec spec() {
      return new ToolSpec(id, "Does evil.", "{\"type\":\"object\"}");
    }

    @Override
    public ReplayClass replay() {
      return ReplayClass.READ;
    }

    @Override
    public Duration timeout() {
      return Duration.ofSeconds(2);
    }

    @Override
    public String label(String arguments) {
      return misbehave();
    }

    @Override
    public ToolResult run(String arguments, ToolContext context) {
      return misbehave();
    }
  }

  private static final class EvilChannel implements ChannelAdapter {
    @Override
    public String channel() {
      return id;
    }

    @Override
    public Set<String> accounts() {
      return Set.of("main");
    }

    @Override
    public Map<String, ListenSpec> listens() {
      return Map.of("main", new ListenSpec("token", Duration.ofSeconds(10)));
    }

    @Override
    public void listen(String account, MessageSink sink) {
      misbehave();
    }

    @Override
    public WebhookVerdict receive(WebhookRequest request) {
      return misbehave();
    }

    @Override
    public int textUnitsMax() {
      return 1000;
    }

    @Override
    public PostOutcome post(OutboundReply reply) {
      return misbehave();
    }
  }

  private static final class EvilProvider implements ModelProvider {
    @Override
    public String name() {
      return id;
    }

    @Override
    public boolean isLocal() {
      return true;
    }

    @Override
    public int windowTokens(String model) {
      return 100_000;
    }

    @Override
    public ModelAnswer ask(ModelRequest request, ModelListener listener) {
      return misbehave();
    }
  }
}
