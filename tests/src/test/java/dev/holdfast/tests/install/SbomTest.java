package dev.holdfast.tests.install;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.tests.harness.Json;
import dev.holdfast.tests.harness.Outside;
import dev.holdfast.tests.harness.Setup;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the build says that the program is made of, against what is in its jars. */
@Outside(covers = {"pom.xml", "server/pom.xml", "plugins/pom.xml"})
class SbomTest {
  private static final Path SBOM = DebianPackage.ROOT.resolve("target/bom.json");

  /** What libraries bring inside their own jars, and so stand for. */
  private static final Set<String> INSIDE_OTHERS =
      Set.of("org.jctools:jctools-core", "org.antlr:antlr4-runtime", "org.jline:");

  /** {@code group:artifact:version}. */
  private final Set<String> listed = new TreeSet<>();

  private JsonNode sbom = Json.of(List.of());

  @BeforeEach
  void read() throws IOException {
    sbom = Json.read(Files.readString(SBOM));
    for (JsonNode each : sbom.path("components")) {
      listed.add(
          String.join(
              ":",
              each.path("group").asText(),
              each.path("name").asText(),
              each.path("version").asText()));
    }
  }

  @Test
  void itIsCycloneDxOfThisProgram() {
    assertThat(sbom.path("bomFormat").asText()).isEqualTo("CycloneDX");
    JsonNode program = sbom.path("metadata").path("component");
    assertThat(program.path("type").asText()).isEqualTo("application");
    assertThat(program.path("group").asText()).isEqualTo("dev.holdfast");
    for (JsonNode each : sbom.path("components")) {
      assertThat(each.path("purl").asText()).as("of %s", each).startsWith("pkg:maven/");
    }
  }

  @Test
  void everyLibraryOfTheServersJarIsListedWithItsVersion() throws IOException {
    List<String> found = new ArrayList<>();
    try (ZipFile jar = new ZipFile(Setup.jar().toFile())) {
      for (ZipEntry entry : jar.stream().toList()) {
        if (entry.getName().matches("META-INF/maven/[^/]+/[^/]+/pom\\.properties")) {
          found.add(library(jar, entry));
        }
      }
    }
    assertThat(found).hasSizeGreaterThan(50);
    assertThat(
            found.stream().filter(library -> INSIDE_OTHERS.stream().noneMatch(library::startsWith)))
        .allSatisfy(library -> assertThat(listed).contains(library));
  }

  private static String library(ZipFile jar, ZipEntry entry) throws IOException {
    Properties facts = new Properties();
    try (InputStream in = jar.getInputStream(entry)) {
      facts.load(in);
    }
    return String.join(
        ":",
        facts.getProperty("groupId"),
        facts.getProperty("artifactId"),
        facts.getProperty("version"));
  }

  @Test
  void librariesOfThePageAndOfPluginsAreListedAndThoseOfTestsAreNot() throws IOException {
    assertThat(listed)
        .anyMatch(library -> library.startsWith("org.webjars.npm:marked:"))
        .anyMatch(library -> library.startsWith("org.mvnpm:dompurify:"))
        .anyMatch(library -> library.startsWith("com.google.code.gson:gson:"))
        .noneMatch(library -> library.matches(".*(junit|assertj|jqwik|wiremock|playwright).*"));
    try (Stream<Path> plugins = Files.list(DebianPackage.plugins())) {
      for (Path jar : plugins.filter(file -> file.toString().endsWith(".jar")).toList()) {
        String[] name = jar.getFileName().toString().replace(".jar", "").split("-(?=\\d)", 2);
        assertThat(listed).contains("dev.holdfast:" + name[0] + ":" + name[1]);
      }
    }
  }
}
