package dev.holdfast.supervision;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Remembers what it hears, a line each. */
public final class FakeCrashListener implements CrashListener {
  public final List<String> heard = new CopyOnWriteArrayList<>();

  @Override
  public void gaveUp(ChildSpec child, String crash) {
    heard.add(child.name() + " given up: " + crash);
  }

  @Override
  public void ailing(ChildSpec child, String crash) {
    heard.add(child.name() + " ails: " + crash);
  }

  @Override
  public void recovered(ChildSpec child) {
    heard.add(child.name() + " recovered");
  }
}
