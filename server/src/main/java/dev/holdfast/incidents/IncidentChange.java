package dev.holdfast.incidents;

/**
 * What happened to an incident.
 *
 * @param what a dotted word: {@link #OPENED} or {@link #RESOLVED}
 */
public record IncidentChange(String what, Incident incident) {
  public static final String OPENED = "incident.opened";
  public static final String RESOLVED = "incident.resolved";
}
