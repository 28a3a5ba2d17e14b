package dev.holdfast.extensions;

import dev.holdfast.config.Secrets;
import dev.holdfast.incidents.IncidentReports;
import dev.holdfast.media.AttachmentsConfig;
import dev.holdfast.net.HttpCaller;
import dev.holdfast.processes.ChildrenSource;
import dev.holdfast.resilience.Guards;
import dev.holdfast.supervision.RecentResults;
import dev.holdfast.time.Time;
import dev.holdfast.tools.Toolbox;
import io.micrometer.core.instrument.MeterRegistry;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;

/**
 * What extensions are run with.
 *
 * @param folder where each has its own
 * @param environment the server's, of which each gets what it names
 * @param attachments how many images of a result are shown, and how large ones
 * @param trustsFirstList whether the first list of tools of a server needs no operator
 * @param results hears of each call
 * @param incidents hears of those that cannot be kept running
 * @param random from 0 to 1, for the jitter of restarts
 */
public record ExtensionServices(
    Path folder,
    ChildrenSource children,
    HttpCaller http,
    Toolbox toolbox,
    Guards guards,
    Supplier<Map<String, String>> environment,
    Secrets secrets,
    AttachmentsConfig attachments,
    Pace pace,
    BooleanSupplier trustsFirstList,
    DoubleSupplier random,
    RecentResults results,
    IncidentReports incidents,
    Time time,
    MeterRegistry meters) {}
