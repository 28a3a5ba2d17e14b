package dev.holdfast;

import dev.holdfast.incidents.Incident;
import dev.holdfast.incidents.Incidents;
import dev.holdfast.tools.memory.SystemNotes;
import java.util.List;

/** The newest incidents in a line each: without details, which may hold what programs wrote. */
record IncidentNotes(Incidents incidents) implements SystemNotes {
  private static final int LOOKED_AT = 100;

  @Override
  public List<String> newest() {
    return incidents.list(false, "", LOOKED_AT).stream().map(IncidentNotes::line).toList();
  }

  private static String line(Incident incident) {
    return "- incident of %s, %s, %s%s, %s: %s (operators read it with: holdfast incidents show %s)"
        .formatted(
            incident.at(),
            incident.kind().label().replace('_', ' '),
            incident.severity().label(),
            incident.times() == 1 ? "" : ", " + incident.times() + " times",
            incident.isOpen() ? "open" : "resolved",
            incident.summary(),
            incident.id());
  }
}
