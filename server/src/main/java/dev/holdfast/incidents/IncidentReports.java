package dev.holdfast.incidents;

/** Takes down what goes wrong. Returns at once, so that it may be told from anywhere. */
public interface IncidentReports {
  /** It happened now. */
  void report(NewIncident incident);

  /** What was reported of the part is over: it works again. */
  void recovered(IncidentKind kind, String part);
}
