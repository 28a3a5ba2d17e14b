package dev.holdfast.ingress.login;

import dev.holdfast.api.FailureCode;
import dev.holdfast.ingress.wire.Caller;
import dev.holdfast.ingress.wire.RefusedRequestException;
import dev.holdfast.ingress.wire.Scope;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.messages.Ownership;
import dev.holdfast.store.messages.ThreadOwners;
import dev.holdfast.store.messages.ThreadReader;
import org.jspecify.annotations.Nullable;

/**
 * Which chat threads a caller may see and change: those that its token began, and those that were
 * opened to everybody; an operator all. Whatever a caller may not see is not there for it.
 * Thread-safe; everything but {@link #reader} blocks.
 */
public final class ThreadAccess {
  private final ThreadOwners owners;

  public ThreadAccess(ThreadOwners owners) {
    this.owners = owners;
  }

  private static boolean isOperator(Caller caller) {
    return caller.scope().covers(Scope.ADMIN);
  }

  /** For lists of what belongs to threads. */
  public static ThreadReader reader(Caller caller) {
    return isOperator(caller) ? ThreadReader.OPERATOR : ThreadReader.owner(caller.name());
  }

  /** Whether the caller may see what is in a thread. */
  public boolean maySee(Caller caller, String threadId) {
    return isOperator(caller) || isOpenTo(caller, whose(threadId));
  }

  private Ownership whose(String threadId) {
    Ownership known = owners.find(threadId);
    boolean shared = known instanceof Ownership.Owned owned && owned.shared();
    return threadId.equals(ThreadReader.OF_OPERATORS) && !shared
        ? new Ownership.OfOperators()
        : known;
  }

  private static boolean isOpenTo(Caller caller, Ownership whose) {
    return switch (whose) {
      case Ownership.Owned(String owner, boolean shared) -> shared || owner.equals(caller.name());
      case Ownership.OfOperators() -> false;
      case Ownership.Fresh() -> false;
    };
  }

  /**
   * Lets a caller look at a thread or act on it.
   *
   * @throws RefusedRequestException 404 when it belongs to somebody else, and in the same words
   *     when nobody has begun it
   */
  public void check(Caller caller, String threadId) throws RefusedRequestException {
    if (!maySee(caller, threadId)) {
      throw notTheirs();
    }
  }

  /**
   * Lets a caller delete a thread: its owner, or an operator.
   *
   * @throws RefusedRequestException 404 as {@link #check}, 403 when it was opened to the caller by
   *     somebody else
   */
  public void checkOwner(Caller caller, String threadId) throws RefusedRequestException {
    check(caller, threadId);
    boolean isTheirs =
        whose(threadId) instanceof Ownership.Owned(String owner, boolean _)
            && owner.equals(caller.name());
    if (!isOperator(caller) && !isTheirs) {
      throw RefusedRequestException.forbidden();
    }
  }

  /**
   * Lets a caller write to a thread; the first who does begins it and is its owner, durably.
   *
   * @param shared whether everybody may see and write it from now on; null: as it is
   * @throws RefusedRequestException 404 when it belongs to somebody else, 403 when it is kept for
   *     operators, or when only its owner may share it
   */
  public void enter(Caller caller, String threadId, @Nullable Boolean shared)
      throws RefusedRequestException, StoreException {
    if (threadId.equals(ThreadReader.OF_OPERATORS) && !maySee(caller, threadId)) {
      throw new RefusedRequestException(
          403, FailureCode.AUTH, "the chat thread cli is kept for operators: name another one");
    }
    Ownership whose = owners.find(threadId);
    if (whose instanceof Ownership.Fresh) {
      whose = owners.claim(threadId, caller.name(), Boolean.TRUE.equals(shared));
    }
    if (!isOperator(caller) && !isOpenTo(caller, whose)) {
      throw notTheirs();
    }
    if (shared == null
        || !(whose instanceof Ownership.Owned(String owner, boolean isShared))
        || isShared == shared) {
      return;
    }
    if (!isOperator(caller) && !owner.equals(caller.name())) {
      throw RefusedRequestException.forbidden();
    }
    owners.share(threadId, shared);
  }

  private static RefusedRequestException notTheirs() {
    return RefusedRequestException.unknown("no such thread, or it belongs to somebody else");
  }
}
