package dev.holdfast.plugins;

import dev.holdfast.channels.Channels;
import dev.holdfast.config.ConfigPart;
import dev.holdfast.config.Secrets;
import dev.holdfast.extensions.Extensions;
import dev.holdfast.incidents.IncidentReports;
import dev.holdfast.models.Models;
import dev.holdfast.net.GuardedWeb;
import dev.holdfast.net.HttpCaller;
import dev.holdfast.resilience.Guards;
import dev.holdfast.time.Time;
import dev.holdfast.tools.Toolbox;
import io.micrometer.core.instrument.MeterRegistry;
import java.nio.file.Path;
import java.util.Map;

/**
 * What of the server plugins have to do with.
 *
 * @param folder where the operator puts jars
 * @param dataDir the server's data folder
 * @param onExtensions runs after plugins have declared other extensions or have given some up
 * @param secrets hidden in everything that the server writes
 * @param settings what they read
 * @param incidents hears of those that do not work
 * @param serverVersion for the ranges of manifests
 */
public record PluginServices(
    Path folder,
    Path dataDir,
    Toolbox toolbox,
    Channels channels,
    Models models,
    Extensions extensions,
    Runnable onExtensions,
    HttpCaller http,
    GuardedWeb web,
    Guards guards,
    Secrets secrets,
    Settings settings,
    IncidentReports incidents,
    Time time,
    MeterRegistry meters,
    String serverVersion) {

  /** Configuration and variables of now. */
  public interface Settings {
    /** A section of the file that is in force; an empty one when it is absent. */
    ConfigPart part(String... path);

    /** What is set now. */
    Map<String, String> environment();

    /** Where the operator writes variables. */
    Path envFile();

    PluginsConfig plugins();

    /** Whether the server is a restored copy, in which no plugin may run. */
    boolean isCopy();
  }
}
