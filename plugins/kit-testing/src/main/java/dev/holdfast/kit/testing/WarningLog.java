package dev.holdfast.kit.testing;

import java.text.MessageFormat;
import java.util.List;
import java.util.ResourceBundle;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** Keeps warnings and errors, and passes everything on. Thread-safe. */
final class WarningLog implements System.Logger {
  private final System.Logger next = System.getLogger("plugin");
  private final List<String> lines = new CopyOnWriteArrayList<>();

  List<String> lines() {
    return List.copyOf(lines);
  }

  @Override
  public String getName() {
    return next.getName();
  }

  @Override
  public boolean isLoggable(Level level) {
    return true;
  }

  @Override
  public void log(
      Level level, @Nullable ResourceBundle bundle, String line, @Nullable Throwable thrown) {
    keep(level, line);
    next.log(level, bundle, line, thrown);
  }

  @Override
  public void log(
      Level level, @Nullable ResourceBundle bundle, String format, @Nullable Object... values) {
    keep(level, values == null ? format : MessageFormat.format(format, values));
    next.log(level, bundle, format, values);
  }

  private void keep(Level level, String line) {
    if (level.getSeverity() >= Level.WARNING.getSeverity()) {
      lines.add(line);
    }
  }
}
