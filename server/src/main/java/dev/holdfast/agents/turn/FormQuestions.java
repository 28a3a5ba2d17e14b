package dev.holdfast.agents.turn;

import dev.holdfast.agents.context.Entries;
import dev.holdfast.agents.context.Incoming;
import dev.holdfast.agents.turn.TurnEndings.Say;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.ledgers.AuditEntry;
import dev.holdfast.store.messages.ReplyVoice;
import dev.holdfast.tools.forms.FormReply;
import dev.holdfast.tools.forms.FormText;
import dev.holdfast.tools.forms.PersonForm;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks the person behind a turn what a running call wants to know. Thread-safe. */
public final class FormQuestions {
  private static final Logger LOG = LoggerFactory.getLogger(FormQuestions.class);

  private final TurnResources resources;
  private final TurnEndings endings;
  private final ChatCodes codes = new ChatCodes();

  public FormQuestions(TurnResources resources, TurnEndings endings) {
    this.resources = resources;
    this.endings = endings;
  }

  /** Blocks until there is a reply, {@code limit} is over, or {@code moot} completes. */
  FormReply ask(
      Incoming incoming,
      TurnState.Pending call,
      PersonForm form,
      Duration limit,
      CompletableFuture<?> moot)
      throws InterruptedException {
    OpenForms.Open asked =
        new OpenForms.Open(
            codes.next(),
            incoming.event().threadId(),
            ApprovalGate.person(resources.store(), incoming),
            form,
            new CompletableFuture<>());
    if (!resources.forms().add(asked)) {
      return new FormReply.Declined("too many forms wait for people already");
    }
    try {
      String text = FormText.of(form, asked.code(), limit);
      endings.tell(
          incoming,
          new Say(ReplyVoice.QUESTION, ApprovalPrompts.visible(resources.secrets().redact(text))),
          UUID.randomUUID().toString());
      endings.story(incoming, "form.asked", Entries.object().put("source", form.source()));
      note("form.asked", incoming, call, form, "tool:" + call.call().tool());
      FormReply reply = await(asked, limit, moot);
      if (reply instanceof FormReply.Accepted) {
        note("form.accepted", incoming, call, form, "person:" + asked.person());
      }
      endings.story(
          incoming,
          "form.answered",
          Entries.object().put("source", form.source()).put("reply", word(reply)));
      return reply;
    } catch (StoreException e) {
      LOG.warn("event {}: a form could not be asked: {}", incoming.id(), e.failure().message());
      return new FormReply.Declined("the person could not be asked");
    } finally {
      resources.forms().remove(asked);
    }
  }

  /** Without what was answered: that is between the person and whoever asked. */
  private void note(
      String what, Incoming incoming, TurnState.Pending call, PersonForm form, String actor)
      throws StoreException {
    AuditEntry entry =
        new AuditEntry(
            what,
            call.key(),
            incoming.id(),
            incoming.event().threadId(),
            actor,
            Entries.object().put("source", form.source()).toString());
    endings.epoch().change(() -> resources.store().audit().append(entry));
  }

  private static String word(FormReply reply) {
    return switch (reply) {
      case FormReply.Accepted _ -> "accepted";
      case FormReply.Declined(String reason) -> reason;
    };
  }

  /** Whoever completes the reply first has it. */
  private static FormReply await(OpenForms.Open asked, Duration limit, CompletableFuture<?> moot)
      throws InterruptedException {
    CompletableFuture<Void> _ =
        moot.handle(
            (_, _) -> {
              boolean _ = asked.reply().complete(new FormReply.Declined("no longer wanted"));
              return null;
            });
    try {
      return asked.reply().get(limit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      boolean _ = asked.reply().complete(new FormReply.Declined("nobody answered in time"));
      return asked.reply().getNow(new FormReply.Declined(""));
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }
}
