package dev.holdfast.tools.skills;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.config.NearestName;
import dev.holdfast.processes.MachineGate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Reads a front matter field by field, and collects what is wrong with it and what is merely worth
 * knowing.
 *
 * <p>Source: Agent Skills, "Specification", agentskills.io.
 */
final class SkillHeadReader {
  static final int NAME_MAX = 64;
  static final int DESCRIPTION_MAX = 1024;
  static final int COMPATIBILITY_MAX = 500;

  static final Pattern NAME = Pattern.compile("[a-z0-9]+(-[a-z0-9]+)*");

  private static final int GROUPS_MAX = 50;
  private static final int UNKNOWN_SHOWN_MAX = 60;
  private static final List<String> FIELDS =
      List.of(
          "name",
          "description",
          "license",
          "compatibility",
          "metadata",
          "allowed-tools",
          "requires");
  private static final List<String> GATES = List.of("bins", "env", "os");
  private static final Pattern PROGRAM = Pattern.compile("[A-Za-z0-9_.+@-]{1,100}");
  private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,99}");

  private final String folderName;
  private final List<String> problems = new ArrayList<>();
  private final List<String> notices = new ArrayList<>();

  /**
   * @param folderName what the skill must be called
   */
  SkillHeadReader(String folderName) {
    this.folderName = folderName;
  }

  /** Each a sentence that begins with the field. */
  List<String> problems() {
    return problems;
  }

  List<String> notices() {
    return notices;
  }

  SkillHead read(JsonNode front) {
    if (!front.isObject()) {
      problems.add("the front matter is not a list of fields: write name: and description: in it");
      return SkillHead.NONE;
    }
    front
        .fieldNames()
        .forEachRemaining(
            field -> {
              if (!FIELDS.contains(field)) {
                notices.add(
                    "%s: is no field of the specification, so it is ignored%s"
                        .formatted(shown(field), meant(field, FIELDS)));
              }
            });
    return new SkillHead(
        name(front),
        description(front),
        text(front, "license", Integer.MAX_VALUE),
        text(front, "compatibility", COMPATIBILITY_MAX),
        metadata(front.path("metadata")),
        allowedTools(front.path("allowed-tools")),
        needs(front.path("requires")));
  }

  private String name(JsonNode front) {
    String name = text(front, "name", NAME_MAX);
    if (name.isEmpty()) {
      missing(front, "name", "write name: " + folderName);
    } else if (!NAME.matcher(name).matches()) {
      problems.add(
          "name: may hold lower-case letters, digits and single hyphens between them: write name: "
              + folderName);
    } else if (!name.equals(folderName)) {
      problems.add(
          "name: must be the folder's: write name: %s, or rename the folder".formatted(folderName));
    }
    return name;
  }

  private String description(JsonNode front) {
    String text = text(front, "description", DESCRIPTION_MAX);
    if (text.isEmpty()) {
      missing(front, "description", "say what the skill does and when to use it");
    }
    return text.replaceAll("\\s+", " ");
  }

  /** Once: a value of another kind was complained of already. */
  private void missing(JsonNode front, String field, String step) {
    if (!front.path(field).isContainerNode()) {
      problems.add(field + ": is missing: " + step);
    }
  }

  private String text(JsonNode front, String field, int charactersMax) {
    JsonNode value = front.path(field);
    if (value.isMissingNode() || value.isNull()) {
      return "";
    }
    if (!value.isValueNode()) {
      problems.add(field + ": must be a text: put it in quotes");
      return "";
    }
    String text = value.asText().strip();
    int characters = text.codePointCount(0, text.length());
    if (characters > charactersMax) {
      problems.add(
          "%s: has %d characters: shorten it to at most %d"
              .formatted(field, characters, charactersMax));
    }
    return text;
  }

  private Map<String, String> metadata(JsonNode value) {
    Map<String, String> metadata = new LinkedHashMap<>();
    if (value.isObject()) {
      for (Map.Entry<String, JsonNode> entry : value.properties()) {
        if (entry.getValue().isValueNode()) {
          metadata.put(entry.getKey(), entry.getValue().asText());
        } else {
          notices.add(
              "metadata.%s: is not a text, so it is ignored; what the skill needs stands in requires"
                  .formatted(shown(entry.getKey())));
        }
      }
    } else if (!value.isMissingNode() && !value.isNull()) {
      problems.add("metadata: must hold names and texts: write it as author: somebody");
    }
    return metadata;
  }

  private List<String> allowedTools(JsonNode value) {
    return listed(value)
        .map(texts -> texts.stream().flatMap(text -> Arrays.stream(text.split("\\s+"))).toList())
        .orElseGet(
            () -> {
              problems.add("allowed-tools: must be names of tools with spaces between them");
              return List.of();
            });
  }

  private SkillNeeds needs(JsonNode requires) {
    if (requires.isMissingNode() || requires.isNull()) {
      return SkillNeeds.NOTHING;
    }
    if (!requires.isObject()) {
      problems.add("requires: must hold bins, env or os: write it as bins: [git]");
      return SkillNeeds.NOTHING;
    }
    requires
        .fieldNames()
        .forEachRemaining(
            gate -> {
              if (!GATES.contains(gate)) {
                problems.add(
                    "requires.%s: there is no such gate: use bins, env or os%s"
                        .formatted(shown(gate), meant(gate, GATES)));
              }
            });
    return new SkillNeeds(
        groups(requires, "bins", PROGRAM, "the name of a program, without a path"),
        groups(requires, "env", VARIABLE, "the name of a variable"),
        systems(requires));
  }

  /** Of {@code [a, b|c]} the groups a, and b or c. */
  private List<List<String>> groups(JsonNode requires, String gate, Pattern form, String what) {
    List<List<String>> groups = new ArrayList<>();
    for (String text : names(requires, gate)) {
      List<String> group = Arrays.stream(text.split("\\|", -1)).map(String::strip).toList();
      Predicate<String> fits = form.asMatchPredicate();
      Optional<String> wrong = group.stream().filter(fits.negate()).findFirst();
      if (wrong.isPresent()) {
        problems.add(
            "requires.%s: %s is not %s: correct it".formatted(gate, shown(wrong.get()), what));
      } else {
        groups.add(group);
      }
    }
    return groups;
  }

  private List<String> systems(JsonNode requires) {
    List<String> systems = names(requires, "os");
    for (String system : systems) {
      if (!MachineGate.SYSTEMS.contains(system.toLowerCase(Locale.ROOT))) {
        problems.add(
            "requires.os: there is no system %s: use %s"
                .formatted(shown(system), String.join(", ", MachineGate.SYSTEMS)));
      }
    }
    return systems;
  }

  private List<String> names(JsonNode requires, String gate) {
    List<String> names = listed(requires.path(gate)).orElse(List.of(""));
    if (names.contains("") || names.size() > GROUPS_MAX) {
      problems.add(
          "requires.%s: must be a list of 1 to %d names: write it as [a, b]"
              .formatted(gate, GROUPS_MAX));
      return List.of();
    }
    return names;
  }

  /** A text or a list of texts; empty for anything else. */
  private static Optional<List<String>> listed(JsonNode value) {
    if (value.isMissingNode() || value.isNull()) {
      return Optional.of(List.of());
    }
    if (value.isArray()) {
      List<String> texts = new ArrayList<>();
      for (JsonNode item : value) {
        if (!item.isValueNode() || item.isNull()) {
          return Optional.empty();
        }
        texts.add(item.asText().strip());
      }
      return Optional.of(texts);
    }
    return value.isValueNode() ? Optional.of(List.of(value.asText().strip())) : Optional.empty();
  }

  private static String meant(String wrong, List<String> names) {
    return NearestName.nearest(wrong, names).map(name -> "; did you mean " + name + "?").orElse("");
  }

  private static String shown(String name) {
    return name.codePoints()
        .limit(UNKNOWN_SHOWN_MAX)
        .mapToObj(Character::toString)
        .collect(Collectors.joining());
  }
}
