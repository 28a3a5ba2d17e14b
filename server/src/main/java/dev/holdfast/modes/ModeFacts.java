package dev.holdfast.modes;

import java.time.Duration;
import java.util.List;

/**
 * What the mode follows from, at one moment.
 *
 * @param down the critical parts that do not work, and what gives out tasks
 * @param remoteProviders the breakers of all providers of models that are not on this machine
 * @param openProviders those of them that have opened and seen no success since
 * @param budgetSpent whether remote models may cost nothing more for now
 * @param givenUp workers that have given up
 * @param interrupted what an unclean stop cut off and nobody has taken up again
 * @param isCopy whether this server runs on a restored copy that nobody has promoted
 */
public record ModeFacts(
    List<DownPart> down,
    List<String> remoteProviders,
    List<String> openProviders,
    boolean budgetSpent,
    List<String> givenUp,
    List<String> interrupted,
    boolean isCopy) {
  public ModeFacts {
    down = List.copyOf(down);
    remoteProviders = List.copyOf(remoteProviders);
    openProviders = List.copyOf(openProviders);
    givenUp = List.copyOf(givenUp);
    interrupted = List.copyOf(interrupted);
  }

  /** The names of the critical parts that have been down for at least so long. */
  List<String> downFor(Duration least) {
    return down.stream()
        .filter(DownPart::isCritical)
        .filter(part -> part.since().compareTo(least) >= 0)
        .map(DownPart::name)
        .toList();
  }

  /** The name alone if such a part is down. */
  List<String> downNamed(String name) {
    return down.stream().map(DownPart::name).filter(name::equals).toList();
  }
}
