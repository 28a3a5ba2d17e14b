package dev.holdfast.tasks.rules;

import java.util.Optional;

/** The moves of a task: every event in every state. */
public final class TaskMoves {
  private TaskMoves() {}

  /** The next state; empty for a move that is refused. */
  public static Optional<TaskState> next(TaskState state, TaskEvent event) {
    return Optional.ofNullable(
        switch (state) {
          case QUEUED, RETRIED ->
              switch (event) {
                case DISPATCH -> TaskState.DISPATCHED;
                case ASK -> TaskState.AWAITING_INPUT;
                case GIVE_UP -> TaskState.DEAD_LETTERED;
                case FAIL -> TaskState.FAILED;
                case CANCEL -> TaskState.CANCELLED;
                case BEGIN, ANSWER, SUCCEED, RETRY, RELEASE -> null;
              };
          case DISPATCHED ->
              switch (event) {
                case BEGIN -> TaskState.IN_PROGRESS;
                case RELEASE -> TaskState.QUEUED;
                case CANCEL -> TaskState.CANCELLED;
                case DISPATCH, ASK, ANSWER, SUCCEED, RETRY, GIVE_UP, FAIL -> null;
              };
          case IN_PROGRESS ->
              switch (event) {
                case ASK -> TaskState.AWAITING_INPUT;
                case SUCCEED -> TaskState.SUCCEEDED;
                case RETRY -> TaskState.RETRIED;
                case RELEASE -> TaskState.QUEUED;
                case GIVE_UP -> TaskState.DEAD_LETTERED;
                case CANCEL -> TaskState.CANCELLED;
                case DISPATCH, BEGIN, ANSWER, FAIL -> null;
              };
          case AWAITING_INPUT ->
              switch (event) {
                case ANSWER -> TaskState.QUEUED;
                case GIVE_UP -> TaskState.DEAD_LETTERED;
                case CANCEL -> TaskState.CANCELLED;
                case DISPATCH, BEGIN, ASK, SUCCEED, RETRY, RELEASE, FAIL -> null;
              };
          case SUCCEEDED, DEAD_LETTERED, FAILED, CANCELLED ->
              switch (event) {
                case DISPATCH, BEGIN, ASK, ANSWER, SUCCEED, RETRY, RELEASE, GIVE_UP, FAIL, CANCEL ->
                    null;
              };
        });
  }
}
