package dev.holdfast;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
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
          Set.of("config", "time"),
          Set.of("resilience"),
          Set.of("store", "processes", "supervision", "health", "net", "media", "registry"),
          Set.of("channels", "models", "tools", "bus"),
          Set.of("agents", "replies"),
          Set.of("ingress", "cli"));

  /**
   * The parts of packages that have outgrown some thirty files, lowest first; the empty name is the
   * package itself. A part uses parts below it only.
   */
  private static final Map<String, List<String>> PARTS =
      Map.of(
          "store", List.of("engine", "threads", "messages", "ledgers", "opening", ""),
          "agents", List.of("context", "turn", "thread", "dispatch", ""),
          "ingress", List.of("wire", "login", "stream", "webhooks", "api", "pages", ""));

  /** Packages whose parts still have references upward. */
  private static final Set<String> KNOTTED = Set.of("store", "agents", "ingress");

  /** Only here may a future of Vert.x appear. */
  private static final String[] EVENT_LOOPS = {
    ROOT + ".ingress..", ROOT + ".net..", ROOT + ".resilience..", ROOT
  };

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
          for (int i = 0; i < parts.size() - 1 && !KNOTTED.contains(name); i++) {
            String[] above =
                parts.stream().skip(i + 1L).map(part -> partOf(name, part)).toArray(String[]::new);
            noClasses()
                .that()
                .resideInAPackage(partOf(name, parts.get(i)))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(above)
                .check(classes);
          }
        });
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
        .onlyDependOnClassesThat(resideInAnyPackage("java..", "org.jspecify..", ROOT + ".api.."))
        .check(classes);
  }

  @Test
  void futuresOfVertxStayAtTheEdge() {
    noClasses()
        .that()
        .resideOutsideOfPackages(EVENT_LOOPS)
        .should()
        .dependOnClassesThat()
        .haveFullyQualifiedName("io.vertx.core.Promise")
        .check(classes);
  }

  @Test
  void packagesHaveNoCycles() {
    slices().matching(ROOT + ".(*)..").should().beFreeOfCycles().check(classes);
  }

  @Test
  void onlyTimeReadsTheClock() {
    noClasses()
        .that()
        .resideOutsideOfPackage(ROOT + ".time..")
        .should()
        .callMethod(System.class, "currentTimeMillis")
        .orShould()
        .callMethod(System.class, "nanoTime")
        .orShould()
        .callMethod(java.time.Instant.class, "now")
        .orShould()
        .callMethod(Thread.class, "sleep", long.class)
        .orShould()
        .callMethod(Thread.class, "sleep", java.time.Duration.class)
        .check(classes);
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
