package dev.holdfast.agents.turn;

import dev.holdfast.api.Failure;
import dev.holdfast.store.ledgers.Approval;
import dev.holdfast.tools.prompts.PromptEntry;
import java.util.List;
import java.util.regex.Pattern;

/** What people read when something goes wrong: short, honest, without inner details. */
public final class ChatSentences {
  public static final String MODEL_AWAY =
      "I have your message. The model is unavailable right now; I will answer as soon as it is"
          + " back.";
  public static final String MODEL_REFUSES =
      "I have your message. The model's provider is refusing my requests, which the operator has to"
          + " fix; I will answer as soon as that is done.";
  public static final String MODEL_FAILS =
      "I have your message. The model has not managed to answer it so far; I am still trying.";
  public static final String MODEL_FAILED =
      "The model kept failing on this message, so I gave up on it. Rephrasing it may"
          + " help, or /new for a fresh conversation; the operator can see why and retry it.";
  public static final String PARKED_TOO_LONG =
      "The model was unavailable for too long, so I gave up on this message. Please send it again.";
  public static final String TIMED_OUT = "I ran out of time on this and stopped without an answer.";
  public static final String STUCK =
      "I got stuck on this and stopped without an answer. The operator can see why and retry it.";
  public static final String ROUNDS_SPENT =
      "I reached the limit of steps for one message and stopped without an answer.";
  public static final String IN_CIRCLES =
      "I kept repeating the same step without making progress, so I stopped.";
  public static final String CRASHED =
      "Internal errors kept interrupting me, so I set this message aside. The operator can see why"
          + " and retry it.";
  public static final String NOTHING_SAID =
      "The model gave no answer to this, even when I asked it a second time. Rephrasing it may"
          + " help; the operator can see why and retry it.";
  public static final String CUT_BY_LENGTH =
      "(This answer was cut off: it reached the model's limit on length.)";
  public static final String CUT_BY_FILTER = "(This answer was cut off by the model's provider.)";
  public static final String CONTEXT_DAMAGED =
      "Part of our conversation could not be loaded and has been set aside.";
  public static final String CONTEXT_LOST =
      "Our conversation so far could not be loaded and has been set aside. We are starting afresh.";
  public static final String STOPPED = "Stopped.";
  public static final String HOW_TO_STOP =
      "I have not stopped anything. Send just /stop to stop what I am doing now, or /stop all to"
          + " also cancel the messages that are waiting.";
  public static final String NOT_YOURS = "Only the person whose message led to this can answer it.";
  public static final String TOO_LATE = "It is too late to answer this.";
  public static final String HELP =
      """
      /stop: stop what I am doing now or, if nothing, what I would do next
      /stop all: also cancel the messages that were sent before it
      /new: start a fresh conversation, once the messages before it are answered
      /status: show what I am doing
      /plan GOAL: have agents work on a goal
      /plans: show the plans of this conversation
      /cancel [CODE]: cancel a plan
      /approve CODE, /deny CODE: answer when I ask for permission
      /answer CODE TEXT: answer when I ask you to fill something in
      /help: show this list\
      """;

  private static final int SHOWN_MAX = 3000;
  private static final int FENCE_MIN = 3;
  private static final Pattern BACKTICKS = Pattern.compile("`+");
  private static final Pattern LINE_ENDS = Pattern.compile("\\s*\\R\\s*");
  private static final int PROMPTS_SHOWN = 40;

  private ChatSentences() {}

  /** {@code prompts}: what may be called for besides. */
  public static String help(List<PromptEntry> prompts) {
    StringBuilder help = new StringBuilder(HELP);
    for (PromptEntry prompt : prompts.subList(0, Math.min(prompts.size(), PROMPTS_SHOWN))) {
      help.append('\n').append(prompt.usage());
      if (!prompt.description().isEmpty()) {
        help.append(": ").append(prompt.description());
      }
    }
    if (prompts.size() > PROMPTS_SHOWN) {
      help.append("\nand ").append(prompts.size() - PROMPTS_SHOWN).append(" more prompts");
    }
    return help.toString();
  }

  /** Whether a chat shows a call with all its arguments: nobody approves what stays hidden. */
  public static boolean showsAllOf(Approval question) {
    return question.arguments().length() <= SHOWN_MAX;
  }

  /**
   * The arguments are shown as they are, on a channel that renders Markdown too: the label is the
   * tool's own word, and must not hide them.
   */
  static String mayI(Approval question, boolean hasButtons) {
    String arguments = question.arguments();
    String shown =
        showsAllOf(question)
            ? fenced(arguments)
            : fenced(arguments.substring(0, SHOWN_MAX))
                + "\n("
                + (arguments.length() - SHOWN_MAX)
                + " more characters.)";
    return "May I do this? "
        + LINE_ENDS.matcher(question.shown()).replaceAll(" ")
        + "\nExact call: "
        + question.tool()
        + "\n"
        + shown
        + howToAnswer(question, hasButtons);
  }

  /** As code, with a fence that nothing in it can end. */
  private static String fenced(String code) {
    int longest =
        BACKTICKS.matcher(code).results().mapToInt(run -> run.end() - run.start()).max().orElse(0);
    String fence = "`".repeat(Math.max(FENCE_MIN, longest + 1));
    return fence + "\n" + code + "\n" + fence;
  }

  /** The end of {@link #mayI}, from its line break on. */
  static String howToAnswer(Approval question, boolean hasButtons) {
    if (showsAllOf(question)) {
      return "\n%s /approve %2$s or /deny %2$s within 10 minutes."
          .formatted(hasButtons ? "Use a button or reply" : "Reply", question.code());
    }
    return "\nThis is too long to approve here: read all of it on the chat page or with holdfast"
        + " approvals, and approve it there within 10 minutes. Or %s /deny %s."
            .formatted(hasButtons ? "use the button or reply" : "reply", question.code());
  }

  public static String overBudget(Budgets.Scope scope) {
    return switch (scope) {
      case USER -> "You have reached your limit for today. Please come back tomorrow.";
      case THREAD -> "This conversation has reached its limit for today.";
      case DAILY, MONTHLY ->
          "My budget is used up for now. The operator can see this and retry your message.";
    };
  }

  public static String of(Failure failure) {
    return switch (failure.code()) {
      case CONTEXT_OVERFLOW ->
          "This conversation has become too long for the model. Send /new to start a fresh one.";
      case INVALID_REQUEST, INVALID_MESSAGE, UNKNOWN_MESSAGE_TYPE, ACTION_NOT_SUPPORTED ->
          "The model refused this request. Rephrasing it may help; the operator can see why.";
      case TIMEOUT, STREAM_TIMEOUT -> "The model took too long to answer. Please try again.";
      case NETWORK, OVERLOADED, RATE_LIMITED, BACKEND_FAILURE, CIRCUIT_OPEN, BULKHEAD_FULL ->
          "I am having trouble reaching the model. Please try again in a moment.";
      case AUTH, QUOTA, BUDGET_EXHAUSTED ->
          "The model is rejecting my requests. The operator has been notified.";
      case IO -> "I could not save my work. The operator has been notified.";
      case CANCELLED -> STOPPED;
      case AGENT_UNAVAILABLE, ACTOR_NOT_FOUND, ACTOR_CRASHED, MAX_RESTARTS_EXCEEDED, INTERNAL ->
          "An internal error stopped me. The operator can see why.";
    };
  }
}
