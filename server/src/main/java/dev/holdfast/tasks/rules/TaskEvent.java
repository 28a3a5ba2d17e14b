package dev.holdfast.tasks.rules;

/** What happens to a task. */
public enum TaskEvent {
  /** A worker takes it under a new lease. */
  DISPATCH,

  /** The agent is about to be called. */
  BEGIN,

  /** A person is asked for something: by the agent, which has ended, or before it is called. */
  ASK,

  /** What it asked for is there. */
  ANSWER,

  SUCCEED,

  /** The attempt failed; the same agent, another one or a higher level tries again. */
  RETRY,

  /** The lease has ended without a result, and nothing stands against another attempt. */
  RELEASE,

  GIVE_UP,

  /** Something that it needs will never succeed. */
  FAIL,

  CANCEL
}
