package dev.holdfast.registry;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;

/**
 * Reads once what something says about itself, and believes none of it.
 *
 * @param kind what it is, for the sentences that refuse it
 */
public record FactReader(String kind) {
  private static final int PRINTED_MAX = 64;
  private static final int ZERO_WIDTH_NON_JOINER = 0x200C;
  private static final int ZERO_WIDTH_JOINER = 0x200D;
  private static final int EMOJI_SELECTOR = 0xFE0F;

  /** Letters and signs without a shape: fillers of Hangul and Khmer, the joiner of graphemes. */
  private static final Set<Integer> UNSEEN =
      Set.of(0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0);

  /** Calls foreign code. Null, and whatever it throws, is a refusal. */
  public <T> T read(String method, Callable<T> code) throws RegistrationRefusedException {
    T fact;
    try {
      fact = code.call();
    } catch (Throwable thrown) {
      if (thrown instanceof VirtualMachineError broken && !(thrown instanceof StackOverflowError)) {
        throw broken;
      }
      throw new RegistrationRefusedException(
          new Refusal.CodeFailed(kind, method, thrown.getClass().getSimpleName()));
    }
    require(fact != null, method + " returned null");
    return fact;
  }

  /** Calls foreign code and takes at most {@code max} of what it returns; more is a refusal. */
  public <T> List<T> list(String method, int max, Callable<? extends Iterable<T>> code)
      throws RegistrationRefusedException {
    List<T> all =
        read(
            method,
            () -> {
              List<T> taken = new ArrayList<>();
              for (T each : code.call()) {
                taken.add(each);
                if (taken.size() > max) {
                  break;
                }
              }
              return taken;
            });
    require(all.size() <= max, method + " returned more than " + max);
    require(!all.contains(null), method + " returned a null");
    return List.copyOf(all);
  }

  /** {@code reserved}: in lower case; a name that differs in case alone is refused too. */
  public void name(String name, Pattern form, Set<String> reserved)
      throws RegistrationRefusedException {
    require(form.matcher(name).matches(), "its name must match " + form + ": " + printable(name));
    if (reserved.contains(name.toLowerCase(Locale.ROOT))) {
      throw new RegistrationRefusedException(new Refusal.NameReserved(kind, name));
    }
  }

  /** Text that is read by models and people: no characters that one sees and the other does not. */
  public void text(String what, String text, int unitsMax) throws RegistrationRefusedException {
    require(text.length() <= unitsMax, what + " has more than " + unitsMax + " characters");
    require(
        text.codePoints().allMatch(FactReader::isVisible),
        what + " has control or invisible characters");
  }

  public void require(boolean isSo, String problem) throws RegistrationRefusedException {
    if (!isSo) {
      throw new RegistrationRefusedException(new Refusal.Malformed(kind, problem));
    }
  }

  /** Whether a person who reads a text sees the character, or what it does to its neighbours. */
  public static boolean isVisible(int point) {
    if (UNSEEN.contains(point)) {
      return false;
    }
    return switch (Character.getType(point)) {
      case Character.CONTROL -> point == '\n' || point == '\t' || point == '\r';
      case Character.FORMAT -> point == ZERO_WIDTH_JOINER || point == ZERO_WIDTH_NON_JOINER;
      case Character.SURROGATE, Character.PRIVATE_USE, Character.UNASSIGNED -> false;
      case Character.NON_SPACING_MARK -> !isVariationSelector(point);
      default -> true;
    };
  }

  /** All but the one that makes of a sign an emoji. */
  private static boolean isVariationSelector(int point) {
    return (point >= 0xFE00 && point < EMOJI_SELECTOR)
        || (point >= 0xE0100 && point <= 0xE01EF)
        || (point >= 0x180B && point <= 0x180F);
  }

  /** Of a foreign text what a log can show. */
  static String printable(String text) {
    String shown = text.length() <= PRINTED_MAX ? text : text.substring(0, PRINTED_MAX) + "...";
    return shown.replaceAll("[^ -~]", "?");
  }
}
