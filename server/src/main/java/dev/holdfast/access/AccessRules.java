package dev.holdfast.access;

import dev.holdfast.api.Access;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.Origin;
import java.util.Set;
import java.util.function.BooleanSupplier;

/** The rules of {@link Access}, without those that count. They look at stable ids alone. */
final class AccessRules {
  private static final String EVERYBODY = "*";

  private AccessRules() {}

  /**
   * @param paired whether the sender is
   * @param threadKnown whether an event of the chat thread was accepted before; asked only when
   *     nothing else decides
   */
  static AccessVerdict judge(
      Access access, InboundMessage message, boolean paired, BooleanSupplier threadKnown) {
    Origin origin = message.origin();
    if (!access.teams().isEmpty() && !access.teams().contains(origin.team())) {
      return AccessVerdict.NOT_ALLOWED;
    }
    boolean knowsSender = paired || names(access.users(), message.sender());
    return switch (origin.place()) {
      case DIRECT -> knowsSender ? AccessVerdict.LET_IN : unknownSender(access, message);
      case GROUP, THREAD ->
          access.groups() == Access.Groups.NEVER
                  || !(knowsSender || names(access.chats(), origin.chat()))
              ? AccessVerdict.NOT_ALLOWED
              : inGroup(access, origin, threadKnown);
    };
  }

  private static AccessVerdict inGroup(Access access, Origin origin, BooleanSupplier threadKnown) {
    boolean isMeant =
        access.groups() == Access.Groups.ALL
            || origin.addressed()
            || (origin.place() == Origin.Place.THREAD && threadKnown.getAsBoolean());
    return isMeant ? AccessVerdict.LET_IN : AccessVerdict.NOT_ADDRESSED;
  }

  /** A program gets no code: the two would answer each other. */
  private static AccessVerdict unknownSender(Access access, InboundMessage message) {
    boolean mayPair =
        access.strangers() == Access.Strangers.PAIR
            && !message.origin().fromBot()
            && !message.sender().isBlank();
    return mayPair ? AccessVerdict.STRANGER : AccessVerdict.NOT_ALLOWED;
  }

  private static boolean names(Set<String> allowed, String id) {
    return allowed.contains(EVERYBODY) || (!id.isEmpty() && allowed.contains(id));
  }
}
