package dev.holdfast.incidents;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** An incident as a page of Markdown. */
final class IncidentText {
  private static final DateTimeFormatter MINUTE =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss 'UTC'").withZone(ZoneOffset.UTC);

  private static final Pattern LINE_ENDS = Pattern.compile("[\\s\\p{Cntrl}\\u2028\\u2029]+");
  private static final Pattern TURNS_OF_DIRECTION =
      Pattern.compile("[\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]");
  private static final Pattern FENCE = Pattern.compile("`{3,}");

  private IncidentText() {}

  static String of(Incident incident) {
    IncidentDetails details = incident.details();
    StringBuilder page = new StringBuilder("# ").append(line(incident.summary())).append("\n\n");
    page.append("- Incident: `").append(incident.id()).append("`\n");
    page.append("- Kind: ").append(incident.kind().label()).append('\n');
    page.append("- Severity: ").append(incident.severity().label()).append('\n');
    page.append("- Part: ").append(line(incident.part())).append('\n');
    page.append("- When: ").append(when(incident)).append('\n');
    page.append("- State: ").append(state(incident)).append('\n');
    list(page, "What happened", details.facts());
    if (!details.affected().isEmpty()) {
      list(page, "What was interrupted, and what was done about it", affected(details));
    }
    list(page, "What to check", details.lookAt());
    if (!details.output().isEmpty()) {
      block(page, "Its last lines", details.output());
    }
    block(page, "Commands", commands(incident));
    return page.toString();
  }

  /** The commands that help with an incident; the last one resolves it. */
  static List<String> commands(Incident incident) {
    List<String> commands = new ArrayList<>(incident.details().commands());
    if (incident.isOpen()) {
      commands.add("holdfast incidents resolve " + incident.id());
    }
    return commands;
  }

  static String time(Instant at) {
    return MINUTE.format(at);
  }

  private static String when(Incident incident) {
    return incident.times() == 1
        ? time(incident.at())
        : time(incident.at()) + ", " + incident.times() + " times until " + time(incident.lastAt());
  }

  private static String state(Incident incident) {
    Instant resolved = incident.resolvedAt();
    return resolved == null
        ? "open"
        : incident.resolvedBy().equals(Incidents.RECOVERED)
            ? "resolved at " + time(resolved) + ": it works again"
            : "resolved at " + time(resolved) + " by " + line(incident.resolvedBy());
  }

  private static List<String> affected(IncidentDetails details) {
    List<String> lines = new ArrayList<>();
    for (AffectedEvent event : details.affected()) {
      lines.add(
          "Event `"
              + line(event.eventId())
              + "`: "
              + (event.interrupted().isEmpty() ? "" : event.interrupted() + "; ")
              + event.done()
              + ".");
    }
    int more = details.affectedCount() - details.affected().size();
    if (more > 0) {
      lines.add("And " + more + " more.");
    }
    return lines;
  }

  private static void list(StringBuilder page, String heading, List<String> sentences) {
    if (!sentences.isEmpty()) {
      page.append("\n## ").append(heading).append("\n\n");
      sentences.forEach(
          sentence -> page.append("- ").append(withoutTags(line(sentence))).append('\n'));
    }
  }

  private static void block(StringBuilder page, String heading, List<String> lines) {
    if (!lines.isEmpty()) {
      page.append("\n## ").append(heading).append("\n\n```\n");
      lines.forEach(each -> page.append(FENCE.matcher(line(each)).replaceAll("''")).append('\n'));
      page.append("```\n");
    }
  }

  private static String line(String text) {
    String shown = TURNS_OF_DIRECTION.matcher(text).replaceAll("");
    return LINE_ENDS.matcher(shown).replaceAll(" ").strip();
  }

  /** Without HTML: some of it comes from a model. */
  private static String withoutTags(String sentence) {
    return sentence.replace("<", "\\<");
  }
}
