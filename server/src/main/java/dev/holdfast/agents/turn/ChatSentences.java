package dev.holdfast.agents.turn;

import dev.holdfast.api.Failure;
import dev.holdfast.store.ledgers.Approval;

/** What people read when something goes wrong: short, honest, without inner details. */
public final class ChatSentences {
  public static final String MODEL_AWAY =
      "I have your message; the model is away; I will answer by myself as soon as it is back.";
  public static final String PARKED_TOO_LONG =
      "I could not reach a model for too long and have given this message up. Please send it"
          + " again.";
  public static final String TIMED_OUT =
      "I have worked on this for as long as I may and stopped without an answer.";
  public static final String STUCK =
      "I got stuck on this and was stopped without an answer. The operator can see why and run it"
          + " again.";
  public static final String ROUNDS_SPENT =
      "I have taken as many steps on this as I may and stopped without an answer.";
  public static final String IN_CIRCLES =
      "I kept making the same step without getting anywhere and stopped.";
  public static final String CRASHED =
      "Something inside me broke while I worked on this, more than once, so I have set it aside."
          + " The operator can see why and run it again.";
  static final String UNREADABLE = "I could not read this message any more and have set it aside.";
  public static final String CONTEXT_DAMAGED =
      "I had trouble loading our conversation; some of it is set aside.";
  public static final String HELP =
      """
      /stop: end what I am doing now
      /stop all: end it, and everything that waits
      /new: start a fresh conversation
      /status: what I am doing
      /approve CODE, /deny CODE: answer when I ask whether I may do something
      /help: this list\
      """;

  private static final int SHOWN_MAX = 3000;

  private ChatSentences() {}

  /** The arguments are shown as they are: the label is the tool's own word. */
  static String mayI(Approval question) {
    String arguments = question.arguments();
    String shown =
        arguments.length() <= SHOWN_MAX
            ? arguments
            : arguments.substring(0, SHOWN_MAX)
                + "\n("
                + (arguments.length() - SHOWN_MAX)
                + " more letters: see the chat page or holdfast approvals list)";
    return "May I do this? "
        + question.shown()
        + "\nExactly: "
        + question.tool()
        + " "
        + shown
        + "\nAnswer /approve "
        + question.code()
        + " or /deny "
        + question.code()
        + " within 10 minutes.";
  }

  public static String overBudget(Budgets.Scope scope) {
    return switch (scope) {
      case USER -> "You have used up what I may do for you today. Please come back tomorrow.";
      case THREAD -> "This conversation has used up what I may do in it today.";
      case DAILY, MONTHLY ->
          "I have used up what I may spend for now. The operator can see it and run this again.";
    };
  }

  public static String of(Failure failure) {
    return switch (failure.code()) {
      case CONTEXT_OVERFLOW ->
          "This conversation has become too long for the model. /new starts a fresh one.";
      case INVALID_REQUEST, INVALID_MESSAGE, UNKNOWN_MESSAGE_TYPE, ACTION_NOT_SUPPORTED ->
          "The model refused this request. Rephrasing it may help; the operator can see why.";
      case TIMEOUT, STREAM_TIMEOUT -> "The model took too long to answer. Please try again.";
      case NETWORK, OVERLOADED, RATE_LIMITED, BACKEND_FAILURE, CIRCUIT_OPEN, BULKHEAD_FULL ->
          "I am having trouble reaching the model. Please try again in a moment.";
      case AUTH, QUOTA, BUDGET_EXHAUSTED ->
          "The model does not accept my requests at present. The operator has been told.";
      case IO -> "I could not store my work. The operator has been told.";
      case CANCELLED -> "Stopped.";
      case AGENT_UNAVAILABLE, ACTOR_NOT_FOUND, ACTOR_CRASHED, MAX_RESTARTS_EXCEEDED, INTERNAL ->
          "Something inside me broke while I worked on this. The operator can see why.";
    };
  }
}
