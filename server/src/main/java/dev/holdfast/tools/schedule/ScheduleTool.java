package dev.holdfast.tools.schedule;

import dev.holdfast.api.Failure;
import dev.holdfast.api.FailureCode;
import dev.holdfast.api.ReplayClass;
import dev.holdfast.api.Tool;
import dev.holdfast.api.ToolContext;
import dev.holdfast.api.ToolResult;
import dev.holdfast.api.ToolSpec;
import dev.holdfast.config.Secrets;
import dev.holdfast.store.Store;
import dev.holdfast.store.engine.StoreException;
import dev.holdfast.store.ledgers.AuditEntry;
import dev.holdfast.store.ledgers.Schedule;
import dev.holdfast.store.ledgers.Schedules;
import dev.holdfast.store.messages.ThreadReader;
import dev.holdfast.time.Time;
import dev.holdfast.tools.files.Sha256;
import io.vertx.core.json.JsonObject;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Sets, shows and cancels wake-ups of the chat thread that calls, and of no other. KEYED: a call
 * that runs again finds what it made.
 */
public final class ScheduleTool implements Tool {
  public static final String NAME = "schedule";

  /** Active wake-ups of all threads together. */
  private static final int IN_ALL_MAX = 10_000;

  private static final int TEXT_MAX = 2000;
  private static final int LIST_MAX = 1000;

  /** A cron line is held against the shortest period by so many of its due times. */
  private static final int PERIODS_LOOKED_AT = 50;

  private static final String SCHEMA =
      """
      {"type": "object",
       "properties": {
         "action": {"type": "string", "enum": ["add", "list", "cancel"]},
         "at": {"type": "string", "maxLength": 64,
           "description": "add: once, at this time, like 2026-03-01T09:00 (in the zone) or with an offset."},
         "every": {"type": "string", "maxLength": 16,
           "description": "add: repeatedly, like 90m, 12h or 1d."},
         "cron": {"type": "string", "maxLength": 200,
           "description": "add: five fields: minute, hour, day of month, month, day of week."},
         "zone": {"type": "string", "maxLength": 64,
           "description": "The time zone of at and cron, like Europe/Berlin; the server's own by default."},
         "text": {"type": "string", "minLength": 1, "maxLength": 2000,
           "description": "add: what you will be told then, with everything you need to act on it."},
         "missed": {"type": "string", "enum": ["once", "skip"],
           "description": "add: whether missed times, for example while the server was down, fire once late (default) or are skipped."},
         "id": {"type": "string", "maxLength": 64, "description": "cancel: which one."}},
       "required": ["action"],
       "additionalProperties": false}
      """;

  private final ScheduleConfig config;
  private final Store store;
  private final Secrets secrets;
  private final Time time;
  private final ZoneId zone;

  /** {@code zone}: of times that name none. */
  public ScheduleTool(ScheduleConfig config, Store store, Secrets secrets, Time time, ZoneId zone) {
    this.config = config;
    this.store = store;
    this.secrets = secrets;
    this.time = time;
    this.zone = zone;
  }

  @Override
  public ToolSpec spec() {
    return new ToolSpec(
        NAME,
        "Wakes you later in this conversation: add (with text, and one of at, every, cron),"
            + " list, cancel (with id). When one is due you get its text as a message and answer it"
            + " here. At most "
            + config.perThreadMax()
            + ", and no more often than every "
            + config.periodMin().toSeconds()
            + " s.",
        SCHEMA);
  }

  @Override
  public ReplayClass replay() {
    return ReplayClass.KEYED;
  }

  @Override
  public Duration timeout() {
    return Duration.ofSeconds(30);
  }

  @Override
  public ToolResult run(String argumentsJson, ToolContext context) {
    JsonObject arguments = new JsonObject(argumentsJson);
    try {
      return switch (arguments.getString("action")) {
        case "add" -> add(arguments, context);
        case "list" -> ToolResult.ok(list(context.threadId()));
        case "cancel" -> cancel(arguments.getString("id", ""), context);
        default -> refused("action must be add, list or cancel.");
      };
    } catch (IllegalArgumentException e) {
      return refused(String.valueOf(e.getMessage()));
    } catch (StoreException e) {
      return ToolResult.error(e.failure());
    }
  }

  private ToolResult add(JsonObject arguments, ToolContext context) throws StoreException {
    String text = secrets.redact(arguments.getString("text", "").strip());
    if (text.isEmpty() || text.length() > TEXT_MAX) {
      return refused("text must have from 1 to " + TEXT_MAX + " characters.");
    }
    // The arguments too: a turn that began anew gives its keys a second time, to other calls.
    String id = id(context.key() + "\n" + arguments.encode());
    Optional<Schedule> made = store.schedules().find(id);
    if (made.isPresent()) { // whatever has become of its time meanwhile
      return ToolResult.ok("Wake-up " + line(made.get()));
    }
    List<Schedule.Kind> given =
        Stream.of(Schedule.Kind.values())
            .filter(kind -> arguments.containsKey(name(kind)))
            .toList();
    if (given.size() != 1) {
      return refused("Give one of at, every and cron.");
    }
    Schedule.Kind kind = given.getFirst();
    String spec = arguments.getString(name(kind)).strip();
    String area = arguments.getString("zone", zone.getId());
    Instant now = time.now().truncatedTo(ChronoUnit.MILLIS);
    Instant first = first(Timetable.of(kind, spec, area), now);
    Schedule wanted =
        new Schedule(
            id,
            context.key() + "-" + id,
            context.threadId(),
            person(context),
            kind,
            spec,
            area,
            text,
            Schedule.Missed.valueOf(arguments.getString("missed", "once").toUpperCase(Locale.ROOT)),
            now,
            Schedule.State.ACTIVE,
            first,
            "");
    Schedules.Limits limits = new Schedules.Limits(config.perThreadMax(), IN_ALL_MAX);
    Schedule added =
        store.schedules().add(wanted, limits, entry("schedule.added", wanted, context));
    return ToolResult.ok("Wake-up " + line(added));
  }

  /** A wake-up that a wake-up sets belongs to the same person. */
  private String person(ToolContext context) {
    return store.schedules().personBehind(context.eventId()).orElse(context.sender());
  }

  private Instant first(Timetable timetable, Instant now) {
    Instant first = timetable.first(now);
    Instant last = first;
    for (int i = 0; i < PERIODS_LOOKED_AT; i++) {
      Optional<Instant> next = timetable.next(last, last);
      if (next.isEmpty()) {
        return first;
      }
      if (Duration.between(last, next.get()).compareTo(config.periodMin()) < 0) {
        throw new IllegalArgumentException(
            "That is too often: at least "
                + config.periodMin().toSeconds()
                + " s must lie between two times.");
      }
      last = next.get();
    }
    return first;
  }

  private String list(String threadId) {
    List<Schedule> active = store.schedules().active(ThreadReader.OPERATOR, threadId, LIST_MAX);
    return active.isEmpty()
        ? "No wake-ups are set."
        : active.stream().map(this::line).collect(Collectors.joining("\n"));
  }

  private ToolResult cancel(String id, ToolContext context) throws StoreException {
    Optional<Schedule> found =
        store.schedules().find(id).filter(one -> one.threadId().equals(context.threadId()));
    if (found.isEmpty()) {
      return refused("This conversation has no wake-up " + id + ".");
    }
    store.schedules().cancel(id, entry("schedule.cancelled", found.get(), context));
    return ToolResult.ok("Wake-up " + id + " will no longer fire.");
  }

  private static AuditEntry entry(String what, Schedule schedule, ToolContext context) {
    JsonObject details =
        new JsonObject()
            .put("id", schedule.id())
            .put("kind", name(schedule.kind()))
            .put("spec", schedule.spec())
            .put("zone", schedule.zone())
            .put("text", schedule.text());
    return new AuditEntry(
        what,
        context.key(),
        context.eventId(),
        context.threadId(),
        context.sender(),
        details.encode());
  }

  private String line(Schedule schedule) {
    String next;
    try {
      next = schedule.next().atZone(ZoneId.of(schedule.zone())).toOffsetDateTime().toString();
    } catch (DateTimeException _) {
      next = schedule.next().toString();
    }
    return schedule.id()
        + ", "
        + name(schedule.kind())
        + " "
        + schedule.spec()
        + ", next "
        + next
        + " ("
        + schedule.zone()
        + "): "
        + schedule.text();
  }

  private static String name(Schedule.Kind kind) {
    return kind.name().toLowerCase(Locale.ROOT);
  }

  private static ToolResult refused(String why) {
    return ToolResult.error(Failure.of(FailureCode.INVALID_REQUEST, why));
  }

  /** The same for the same call; too short to guess others by, and it need not be secret. */
  private static String id(String key) {
    return Sha256.of(key).substring(0, 12);
  }
}
