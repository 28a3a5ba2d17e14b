package dev.holdfast.tasks.rules;

/** What an agent asks a person for. */
public enum InputKind {
  ANSWER,

  /** Yes or no to something that the agent is about to do. */
  APPROVAL,

  /** Something secret: never asked for nor shown in a chat, and forgotten once it was used. */
  CREDENTIAL
}
