package dev.holdfast.tools;

import dev.holdfast.api.ReplayClass;
import dev.holdfast.api.Risk;
import dev.holdfast.api.Tool;
import dev.holdfast.api.ToolSpec;
import dev.holdfast.registry.FactReader;
import dev.holdfast.registry.RegistrationRefusedException;
import java.time.Duration;
import java.util.Set;
import java.util.regex.Pattern;

/** What a tool says about itself, read once when it was registered. */
public record ToolFacts(ToolSpec spec, ReplayClass replay, Risk risk, Duration timeout) {
  static final String KIND = "tool";

  /** What every provider of models takes. */
  private static final Pattern NAME = Pattern.compile("[A-Za-z][A-Za-z0-9_-]{0,63}");

  private static final int DESCRIPTION_UNITS_MAX = 16_384;
  private static final int SCHEMA_UNITS_MAX = 131_072;
  private static final Duration TIMEOUT_MAX = Duration.ofDays(1);

  /** {@code reserved}: names that it may not have, in lower case. */
  static ToolFacts of(Tool tool, Set<String> reserved) throws RegistrationRefusedException {
    FactReader facts = new FactReader(KIND);
    ToolSpec spec = facts.read("spec", tool::spec);
    facts.name(facts.read("spec().name", spec::name), NAME, reserved);
    String description = facts.read("spec().description", spec::description);
    facts.text("its description", description, DESCRIPTION_UNITS_MAX);
    facts.text("its schema", facts.read("spec().schema", spec::schema), SCHEMA_UNITS_MAX);
    String resultSchema = facts.read("spec().resultSchema", spec::resultSchema);
    facts.text("its result schema", resultSchema, SCHEMA_UNITS_MAX);
    ReplayClass replay = facts.read("replay", tool::replay);
    Risk risk = facts.read("risk", tool::risk);
    Duration timeout = facts.read("timeout", tool::timeout);
    facts.require(
        timeout.isPositive() && timeout.compareTo(TIMEOUT_MAX) <= 0,
        "its timeout must be above zero and at most a day");
    return new ToolFacts(spec, replay, risk, timeout);
  }

  public String name() {
    return spec.name();
  }
}
