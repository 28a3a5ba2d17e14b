package dev.holdfast.incidents;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Remembers what was reported. */
public final class FakeIncidents implements IncidentReports {
  public final List<NewIncident> reported = new CopyOnWriteArrayList<>();
  public final List<String> recovered = new CopyOnWriteArrayList<>();

  @Override
  public void report(NewIncident incident) {
    reported.add(incident);
  }

  @Override
  public void recovered(IncidentKind kind, String part) {
    recovered.add(kind.label() + " " + part);
  }
}
