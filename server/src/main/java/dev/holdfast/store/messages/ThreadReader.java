package dev.holdfast.store.messages;

/**
 * Who reads a list of what belongs to chat threads.
 *
 * @param everything an operator sees all threads
 * @param name whose threads are shown otherwise, next to those that are shared
 */
public record ThreadReader(boolean everything, String name) {
  /**
   * Where {@code holdfast chat} talks unless it is told otherwise: whoever began it before the
   * operator would read along. Until it is shared it is kept for operators, whoever owns it.
   */
  public static final String OF_OPERATORS = "web:main:cli";

  public static final ThreadReader OPERATOR = new ThreadReader(true, "");

  /**
   * A condition on the column {@code thread_id}; its parameters are {@link #flag} and {@link
   * #name}.
   */
  public static final String MAY_SEE = maySee("thread_id");

  /** As {@link #MAY_SEE}, on a column of another name; a constant. */
  public static String maySee(String column) {
    return "(? = 1 or "
        + column
        + " in (select thread_id from thread_owners where (owner = ? and thread_id <> '"
        + OF_OPERATORS
        + "') or shared = 1))";
  }

  public static ThreadReader owner(String name) {
    return new ThreadReader(false, name);
  }

  public int flag() {
    return everything ? 1 : 0;
  }
}
