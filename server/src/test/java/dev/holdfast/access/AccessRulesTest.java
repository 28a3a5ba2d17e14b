package dev.holdfast.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.api.Access;
import dev.holdfast.api.Access.Groups;
import dev.holdfast.api.Access.Strangers;
import dev.holdfast.api.InboundMessage;
import dev.holdfast.api.Origin;
import dev.holdfast.api.Origin.Place;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class AccessRulesTest {
  private static final List<Boolean> BOTH = List.of(false, true);

  private static Access access(
      Set<String> users, Set<String> chats, Set<String> teams, Strangers strangers, Groups groups) {
    return new Access(users, chats, teams, strangers, groups, 30, 10);
  }

  private static InboundMessage message(String sender, Origin origin) {
    return new InboundMessage("main", "t", sender, "hello", List.of(), "k", origin);
  }

  private static Origin origin(Place place, String chat, boolean addressed) {
    return new Origin(place, chat, "", "", false, addressed);
  }

  /** The rules said another way: by what a person would expect of each. */
  private static AccessVerdict expected(
      Place place, boolean addressed, boolean allowed, boolean threadKnown, Access access) {
    if (place == Place.DIRECT) {
      if (allowed) {
        return AccessVerdict.LET_IN;
      }
      return access.strangers() == Strangers.PAIR
          ? AccessVerdict.STRANGER
          : AccessVerdict.NOT_ALLOWED;
    }
    if (!allowed || access.groups() == Groups.NEVER) {
      return AccessVerdict.NOT_ALLOWED;
    }
    if (access.groups() == Groups.ALL || addressed) {
      return AccessVerdict.LET_IN;
    }
    return place == Place.THREAD && threadKnown
        ? AccessVerdict.LET_IN
        : AccessVerdict.NOT_ADDRESSED;
  }

  @Test
  void everyCombinationOfPlaceAndRuleIsJudgedAsAPersonWouldExpect() {
    List<String> wrong = new ArrayList<>();
    int tried = 0;
    for (Place place : Place.values()) {
      for (Groups groups : Groups.values()) {
        for (Strangers strangers : Strangers.values()) {
          for (boolean addressed : BOTH) {
            for (boolean listed : BOTH) {
              for (boolean chatListed : BOTH) {
                for (boolean paired : BOTH) {
                  for (boolean known : BOTH) {
                    Access access =
                        access(
                            listed ? Set.of("ann", "bob") : Set.of("bob"),
                            chatListed ? Set.of("c1") : Set.of("c2"),
                            Set.of(),
                            strangers,
                            groups);
                    boolean allowed = listed || paired || (chatListed && place != Place.DIRECT);
                    AccessVerdict said =
                        AccessRules.judge(
                            access,
                            message("ann", origin(place, "c1", addressed)),
                            paired,
                            () -> known);
                    AccessVerdict wanted = expected(place, addressed, allowed, known, access);
                    tried++;
                    if (said != wanted) {
                      wrong.add(
                          "%s %s %s addressed=%s listed=%s chat=%s paired=%s known=%s: %s, not %s"
                              .formatted(
                                  place,
                                  groups,
                                  strangers,
                                  addressed,
                                  listed,
                                  chatListed,
                                  paired,
                                  known,
                                  said,
                                  wanted));
                    }
                  }
                }
              }
            }
          }
        }
      }
    }
    assertThat(tried).isEqualTo(3 * 3 * 2 * 32);
    assertThat(wrong).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(Place.class)
  void aStarStandsForEverybodyAndForAllGroups(Place place) {
    Access everybody = access(Set.of("*"), Set.of(), Set.of(), Strangers.DENY, Groups.MENTIONED);
    Access allGroups = access(Set.of(), Set.of("*"), Set.of(), Strangers.DENY, Groups.MENTIONED);
    InboundMessage message = message("ann", origin(place, "c1", true));
    assertThat(judge(everybody, message)).isEqualTo(AccessVerdict.LET_IN);
    assertThat(judge(allGroups, message))
        .isEqualTo(place == Place.DIRECT ? AccessVerdict.NOT_ALLOWED : AccessVerdict.LET_IN);
  }

  private static AccessVerdict judge(Access access, InboundMessage message) {
    return AccessRules.judge(access, message, false, () -> false);
  }

  @ParameterizedTest
  @EnumSource(Place.class)
  void whoBelongsToAnotherTeamIsNeverLetInAndGetsNoCode(Place place) {
    Access access = access(Set.of("*"), Set.of("*"), Set.of("T1"), Strangers.PAIR, Groups.ALL);
    for (String team : List.of("T2", "", "t1", "T1 ", "*")) {
      Origin other = new Origin(place, "c1", team, "", false, true);
      assertThat(AccessRules.judge(access, message("ann", other), true, () -> true))
          .as(team)
          .isEqualTo(AccessVerdict.NOT_ALLOWED);
    }
    Origin own = new Origin(place, "c1", "T1", "", false, true);
    assertThat(judge(access, message("ann", own))).isEqualTo(AccessVerdict.LET_IN);
  }

  /** Whoever may choose a name could choose that of somebody who is allowed. */
  @ParameterizedTest
  @EnumSource(Place.class)
  void aNameThatReadsLikeAnAllowedIdChangesNothing(Place place) {
    Access access = access(Set.of("ann"), Set.of("c1"), Set.of(), Strangers.DENY, Groups.ALL);
    for (String name : List.of("ann", "*", "c1", "Ann")) {
      Origin origin = new Origin(place, "c9", "", name, false, true);
      assertThat(judge(access, message("eve", origin))).isEqualTo(AccessVerdict.NOT_ALLOWED);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"Ann", "ann ", " ann", "ａnn", "an", "annn", "*", ""})
  void anIdThatOnlyResemblesAnAllowedOneIsAnother(String sender) {
    Access access = access(Set.of("ann", ""), Set.of(), Set.of(), Strangers.DENY, Groups.ALL);
    assertThat(judge(access, message(sender, origin(Place.DIRECT, "", true))))
        .isEqualTo(AccessVerdict.NOT_ALLOWED);
  }

  @Test
  void aGroupOfTheSameIdAsAnAllowedPersonIsNotAllowed() {
    Access access = access(Set.of("ann"), Set.of(), Set.of(), Strangers.DENY, Groups.ALL);
    assertThat(judge(access, message("eve", origin(Place.GROUP, "ann", true))))
        .isEqualTo(AccessVerdict.NOT_ALLOWED);
  }

  @Test
  void aProgramAndSomebodyWithoutAnIdGetNoCode() {
    Access access = access(Set.of(), Set.of(), Set.of(), Strangers.PAIR, Groups.ALL);
    Origin bot = new Origin(Place.DIRECT, "", "", "", true, true);
    assertThat(judge(access, message("bot", bot))).isEqualTo(AccessVerdict.NOT_ALLOWED);
    assertThat(judge(access, message(" ", Origin.direct()))).isEqualTo(AccessVerdict.NOT_ALLOWED);
    assertThat(judge(access, message("ann", Origin.direct()))).isEqualTo(AccessVerdict.STRANGER);
  }

  @Test
  void theStoreIsAskedForAThreadOnlyWhenNothingElseDecides() {
    Access access = access(Set.of("ann"), Set.of(), Set.of(), Strangers.DENY, Groups.MENTIONED);
    List<String> asked = new ArrayList<>();
    for (String sender : List.of("ann", "eve")) {
      for (Place place : Place.values()) {
        for (boolean addressed : BOTH) {
          AccessVerdict _ =
              AccessRules.judge(
                  access,
                  message(sender, origin(place, "c", addressed)),
                  false,
                  () -> asked.add(sender + place + addressed));
        }
      }
    }
    assertThat(asked).containsExactly("annTHREADfalse");
  }
}
