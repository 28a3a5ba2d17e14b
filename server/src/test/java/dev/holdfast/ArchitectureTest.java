package dev.holdfast;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import dev.holdfast.bus.ForbiddenCalls;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Which package may know which: the map, lowest line first. A new package goes into it before its
 * first class.
 */
class ArchitectureTest {
  private static final String ROOT = "dev.holdfast";

  /** A package uses lower lines only, never its own line or one above. */
  private static final List<Set<String>> LINES =
      List.of(
          Set.of("config", "libc", "natskit", "time"),
          Set.of("resilience"),
          Set.of("store", "processes", "supervision", "health", "net", "media", "registry"),
          Set.of("channels", "models", "tools", "bus", "guards", "modes", "incidents"),
          Set.of("agents", "replies", "training", "extensions", "drills", "answers"),
          Set.of("plugins", "access", "tasks", "conversations", "memory"),
          Set.of("ingress", "cli"));

  /**
   * The parts of packages that have outgrown some thirty files, lowest first; the empty name is the
   * package itself. A part uses parts below it only.
   */
  private static final Map<String, List<String>> PARTS =
      Map.of(
          "store", List.of("engine", "threads", "messages", "ledgers", "opening", "backup", ""),
          "agents", List.of("context", "turn", "thread", "dispatch", ""),
          "tasks", List.of("rules", "ledger", "workers", "run", "models", "chat", ""),
          "ingress",
              List.of(
                  "wire",
                  "login",
                  "stream",
                  "webhooks",
                  "api",
                  "openai",
                  "mcp",
                  "control",
                  "pages",
                  ""));

  /**
   * The parts that other packages may enter; a split package's other parts are for itself alone.
   * One that does not stand here is open.
   */
  private static final Map<String, Set<String>> DOORS =
      Map.of("store", Set.of("engine", "threads", "messages", "ledgers", "backup", ""));

  /** What others use of the agents: to run them, to look at them, to configure them. */
  private static final Set<String> DOORS_OF_AGENTS =
      Set.of(
          "dispatch.Orchestrator",
          "dispatch.Wakeups",
          "thread.ThreadView",
          "dispatch.AgentParts",
          "dispatch.PlanCommands",
          "turn.AgentConfig",
          "turn.ApprovalPrompts",
          "turn.OpenForms",
          "turn.TurnResources",
          "turn.ThreadsConfig",
          "turn.TurnConfig",
          "context.ContextConfig",
          "context.AgentKnowledge",
          "context.Command",
          "context.Attachments",
          "context.Incoming");

  /** Only here may a future of Vert.x appear. */
  private static final String[] EVENT_LOOPS = {
    ROOT + ".ingress..", ROOT + ".net..", ROOT + ".resilience..", ROOT
  };

  /** The verticle of a chat thread, which ends its start and stop as Vert.x wants, and its host. */
  private static final Set<String> DEPLOYED =
      Set.of(ROOT + ".agents.thread.ThreadAgent", ROOT + ".agents.dispatch.ActiveAgents");

  /** Waits for its producers, who wake it; a lock would cost each of them a wait. */
  private static final Set<String> PARKING = Set.of(ROOT + ".store.engine.WriteQueue");

  private static JavaClasses classes;

  @BeforeAll
  static void readClasses() {
    classes =
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(ROOT);
  }

  @Test
  void everyPackageStandsOnTheMap() {
    Set<String> known = LINES.stream().flatMap(Set::stream).collect(Collectors.toSet());
    known.add("api");
    known.add("");
    assertThat(classes.stream().map(ArchitectureTest::topPackage).collect(Collectors.toSet()))
        .isSubsetOf(known);
  }

  @Test
  void packagesUseLowerLinesOnly() {
    for (int line = 0; line < LINES.size(); line++) {
      for (String name : LINES.get(line)) {
        List<String> forbidden = new ArrayList<>();
        LINES.stream()
            .skip(line)
            .flatMap(Set::stream)
            .filter(other -> !other.equals(name))
            .forEach(other -> forbidden.add(ROOT + "." + other + ".."));
        if (line == 0) {
          forbidden.add(ROOT + ".api..");
        }
        forbidden.add(ROOT);
        noClasses()
            .that()
            .resideInAPackage(ROOT + "." + name + "..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(forbidden.toArray(String[]::new))
            .allowEmptyShould(true)
            .check(classes);
      }
    }
  }

  @Test
  void partsUsePartsBelowThemOnly() {
    PARTS.forEach(
        (name, parts) -> {
          for (int i = 0; i < parts.size() - 1; i++) {
            String[] above =
                parts.stream().skip(i + 1L).map(part -> partOf(name, part)).toArray(String[]::new);
            noClasses()
                .that()
                .resideInAPackage(partOf(name, parts.get(i)))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(above)
                .allowEmptyShould(true)
                .check(classes);
          }
        });
  }

  @Test
  void othersEnterByTheDoorsOnly() {
    DOORS.forEach(
        (name, doors) -> {
          String[] closed =
              PARTS.getOrDefault(name, List.of()).stream()
                  .filter(part -> !doors.contains(part))
                  .map(part -> partOf(name, part))
                  .toArray(String[]::new);
          noClasses()
              .that()
              .resideOutsideOfPackage(ROOT + "." + name + "..")
              .should()
              .dependOnClassesThat()
              .resideInAnyPackage(closed)
              .check(classes);
        });
  }

  @Test
  void agentsAreRunAndLookedAtThroughFewTypes() {
    noClasses()
        .that()
        .resideOutsideOfPackage(ROOT + ".agents..")
        .should()
        .dependOnClassesThat(
            resideInAPackage(ROOT + ".agents..")
                .and(
                    DescribedPredicate.describe(
                        "are no doors",
                        type ->
                            !DOORS_OF_AGENTS.contains(
                                type.getName()
                                    .substring((ROOT + ".agents.").length())
                                    .replaceFirst("\\$.*", "")))))
        .check(classes);
  }

  @Test
  void thePageNamesEveryPackageAndPart() throws IOException {
    String page = Files.readString(Path.of("../docs/architecture.md"));
    LINES.forEach(line -> line.forEach(name -> assertThat(page).contains("`" + name + "`")));
    PARTS.forEach(
        (name, parts) ->
            parts.stream()
                .filter(part -> !part.isEmpty())
                .forEach(part -> assertThat(page).contains("| `" + name + "." + part + "` |")));
  }

  @Test
  void everyPartStandsOnTheMap() {
    PARTS.forEach(
        (name, parts) ->
            assertThat(
                    classes.stream()
                        .filter(type -> topPackage(type).equals(name))
                        .map(JavaClass::getPackageName))
                .allMatch(
                    found -> parts.stream().anyMatch(part -> found.equals(partOf(name, part)))));
  }

  private static String partOf(String name, String part) {
    return part.isEmpty() ? ROOT + "." + name : ROOT + "." + name + "." + part;
  }

  @Test
  void thePluginApiUsesTheJdkAlone() {
    classes()
        .that()
        .resideInAPackage(ROOT + ".api..")
        .should()
        .onlyDependOnClassesThat(
            resideInAnyPackage("java..", "javax.crypto..", "org.jspecify..", ROOT + ".api.."))
        .check(classes);
  }

  /** What it is comes to be known once, on its own thread; all else stands in what is run there. */
  @Test
  void pluginsAreCalledOnTheirOwnThreads() {
    Set<String> pluginTypes =
        Stream.of("Plugin", "Tool", "ChannelAdapter", "ModelProvider")
            .map(name -> ROOT + ".api." + name)
            .collect(Collectors.toSet());
    assertThat(
            classes.stream()
                .filter(type -> topPackage(type).equals("plugins"))
                .flatMap(type -> type.getMethodCallsFromSelf().stream())
                .filter(call -> pluginTypes.contains(call.getTargetOwner().getName()))
                .filter(call -> !call.isDeclaredInLambda())
                .map(
                    call ->
                        call.getOriginOwner().getSimpleName() + "." + call.getOrigin().getName())
                .collect(Collectors.toSet()))
        .containsExactlyInAnyOrder(
            "HostedTool.of",
            "HostedChannel.of",
            "HostedProvider.of",
            "HostedPlugin.startOnItsThread");
  }

  @Test
  void futuresOfVertxStayAtTheEdge() {
    futuresAtTheEdge().check(classes);
  }

  @Test
  void aFutureThatIsOnlyCalledIsSeen() {
    assertThat(futuresAtTheEdge().evaluate(violators()).getFailureReport().getDetails())
        .anyMatch(detail -> detail.contains("awaitsAFuture") && detail.contains("Future.await"))
        .anyMatch(detail -> detail.contains("aPromise") && detail.contains("Promise"));
  }

  private static ArchRule futuresAtTheEdge() {
    return noClasses()
        .that()
        .resideOutsideOfPackages(EVENT_LOOPS)
        .and(not(isOneOf(DEPLOYED)))
        .should()
        .dependOnClassesThat(assignableTo(Future.class).or(assignableTo(Promise.class)));
  }

  @Test
  void packagesHaveNoCycles() {
    slices().matching(ROOT + ".(*)..").should().beFreeOfCycles().check(classes);
  }

  @Test
  void onlyLibcLinksNativeFunctions() {
    noClasses()
        .that()
        .resideOutsideOfPackage(ROOT + ".libc..")
        .should()
        .dependOnClassesThat()
        .areAssignableTo(java.lang.foreign.Linker.class)
        .check(classes);
  }

  @Test
  void onlyTimeReadsTheClockOrSleeps() {
    clockOnlyInTime().check(classes);
  }

  @Test
  void everyWayToReadTheClockOrToSleepIsSeen() {
    List<String> found = clockOnlyInTime().evaluate(violators()).getFailureReport().getDetails();
    for (String way :
        List.of(
            "System.nanoTime",
            "Instant.now(java.time.Clock)",
            "ZonedDateTime.now",
            "Clock.systemUTC",
            "Date.<init>()",
            "Thread.sleep(long, int)",
            "TimeUnit.sleep",
            "LockSupport.parkNanos",
            "System.currentTimeMillis")) {
      assertThat(found).as(way).anyMatch(detail -> detail.contains(way));
    }
    assertThat(found).noneMatch(detail -> detail.contains("Date.<init>(long)"));
  }

  private static ArchRule clockOnlyInTime() {
    return noClasses()
        .that()
        .resideOutsideOfPackage(ROOT + ".time..")
        .and(not(isOneOf(PARKING)))
        .should()
        .accessTargetWhere(
            describe(
                "the clock is read or the thread sleeps",
                access -> isClockOrSleep(access.getTarget())));
  }

  /**
   * What reads a clock, and what waits for nothing but time. A wait for another thread, a process
   * or a socket that only ends after a while too is none of these, whatever its type.
   */
  private static boolean isClockOrSleep(AccessTarget target) {
    String name = target.getName();
    return switch (target.getOwner().getName()) {
      case "java.lang.System" -> name.equals("nanoTime") || name.equals("currentTimeMillis");
      case "java.lang.Thread", "java.util.concurrent.TimeUnit" -> name.equals("sleep");
      case "java.util.concurrent.locks.LockSupport" -> !name.equals("unpark");
      case "java.time.Clock", "java.time.InstantSource" -> true;
      case "java.util.Calendar", "java.util.GregorianCalendar" -> true;
      case "java.util.Timer", "java.util.concurrent.ScheduledThreadPoolExecutor" -> true;
      case "java.util.concurrent.ScheduledExecutorService" -> true;
      case "java.util.concurrent.CompletableFuture" ->
          Set.of("delayedExecutor", "orTimeout", "completeOnTimeout").contains(name);
      case "java.util.Date" -> target.getFullName().endsWith(".<init>()");
      default -> target.getOwner().getPackageName().startsWith("java.time") && name.equals("now");
    };
  }

  private static DescribedPredicate<JavaClass> isOneOf(Set<String> names) {
    return describe("one of " + names, type -> names.contains(type.getFullName()));
  }

  private static JavaClasses violators() {
    return new ClassFileImporter().importClasses(ForbiddenCalls.class);
  }

  private static String topPackage(JavaClass type) {
    String name = type.getPackageName();
    if (name.equals(ROOT)) {
      return "";
    }
    String rest = name.substring(ROOT.length() + 1);
    int dot = rest.indexOf('.');
    return dot < 0 ? rest : rest.substring(0, dot);
  }
}
