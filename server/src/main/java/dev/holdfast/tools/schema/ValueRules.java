package dev.holdfast.tools.schema;

import java.math.BigDecimal;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntPredicate;

/** The keywords for a value as a whole, for numbers and for texts. */
final class ValueRules {
  private static final Set<String> TYPES =
      Set.of("object", "array", "string", "number", "integer", "boolean", "null");
  private static final int CHARACTERS_PER_STEP = 8;

  private ValueRules() {}

  static void add(Keywords keywords, SchemaNode node) throws SchemaRefusedException {
    addType(keywords, node);
    if (keywords.has("const")) {
      addChoice("const", List.of(JsonValues.canonical(keywords.value("const"))), node);
    }
    if (keywords.has("enum")) {
      addChoice("enum", keywords.list("enum").stream().map(JsonValues::canonical).toList(), node);
    }
    addNumbers(keywords, node);
    addTexts(keywords, node);
  }

  private static void addType(Keywords keywords, SchemaNode node) throws SchemaRefusedException {
    if (!keywords.has("type")) {
      return;
    }
    List<String> types =
        keywords.value("type") instanceof String one ? List.of(one) : keywords.names("type");
    if (!TYPES.containsAll(types)) {
      throw Keywords.malformed("type");
    }
    Set<String> allowed = Set.copyOf(types);
    String problem = "must be " + String.join(" or ", types) + ", not ";
    node.add(
        (target, run) -> {
          String type = JsonValues.type(target.value());
          return allowed.contains(type)
              || (type.equals("integer") && allowed.contains("number"))
              || run.fails(target, problem + type);
        });
  }

  private static void addChoice(String key, List<String> values, SchemaNode node) {
    Set<String> allowed = new HashSet<>(values); // stays fast when somebody chooses the hashes
    node.add(
        (target, run) ->
            allowed.contains(JsonValues.canonical(target.value(), run))
                || run.fails(target, "is no value of " + key));
  }

  private static void addNumbers(Keywords keywords, SchemaNode node) throws SchemaRefusedException {
    if (Boolean.TRUE.equals(keywords.value("exclusiveMinimum"))) {
      addBound(keywords, "minimum", "must be above ", order -> order > 0, node);
    } else {
      addBound(keywords, "minimum", "must be at least ", order -> order >= 0, node);
    }
    if (Boolean.TRUE.equals(keywords.value("exclusiveMaximum"))) {
      addBound(keywords, "maximum", "must be below ", order -> order < 0, node);
    } else {
      addBound(keywords, "maximum", "must be at most ", order -> order <= 0, node);
    }
    addBound(keywords, "exclusiveMinimum", "must be above ", order -> order > 0, node);
    addBound(keywords, "exclusiveMaximum", "must be below ", order -> order < 0, node);
    Optional<Number> unit = keywords.find("multipleOf", Number.class);
    if (unit.isEmpty()) {
      return;
    }
    if (JsonValues.isInfinite(unit.get()) || unit.get().doubleValue() <= 0) {
      throw Keywords.malformed("multipleOf");
    }
    BigDecimal divisor = JsonValues.exact(unit.get());
    node.add(
        (target, run) ->
            !(target.value() instanceof Number number)
                || (!JsonValues.isInfinite(number)
                    && JsonValues.exact(number).remainder(divisor).signum() == 0)
                || run.fails(target, "must be a multiple of " + divisor));
  }

  private static void addBound(
      Keywords keywords, String key, String problem, IntPredicate keeps, SchemaNode node)
      throws SchemaRefusedException {
    if (keywords.value(key) instanceof Boolean) {
      return; // of draft 4: it says how the bound of the other keyword is meant
    }
    Optional<Number> bound = keywords.find(key, Number.class);
    bound.ifPresent(
        limit ->
            node.add(
                (target, run) ->
                    !(target.value() instanceof Number number)
                        || keeps.test(JsonValues.compare(number, limit))
                        || run.fails(target, problem + limit)));
  }

  private static void addTexts(Keywords keywords, SchemaNode node) throws SchemaRefusedException {
    int least = keywords.count("minLength", 0);
    int most = keywords.count("maxLength", Integer.MAX_VALUE);
    if (least > 0 || most < Integer.MAX_VALUE) {
      node.add(
          (target, run) -> {
            if (!(target.value() instanceof String text)) {
              return true;
            }
            run.steps(text.length() / CHARACTERS_PER_STEP);
            int length = text.codePointCount(0, text.length());
            return (length >= least && length <= most)
                || run.fails(target, "has " + length + " characters, not " + range(least, most));
          });
    }
    Optional<String> pattern = keywords.find("pattern", String.class);
    if (pattern.isPresent()) {
      SchemaPattern.of(pattern.get())
          .ifPresent(
              expression ->
                  node.add(
                      (target, run) ->
                          !(target.value() instanceof String text)
                              || expression.isIn(text, run)
                              || run.fails(
                                  target,
                                  "does not match " + JsonValues.shortened(pattern.get()))));
    }
  }

  private static String range(int least, int most) {
    if (least == 0) {
      return "at most " + most;
    }
    return most == Integer.MAX_VALUE ? "at least " + least : "from " + least + " to " + most;
  }
}
