package dev.holdfast.plugins;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Rows S36 and S37: whose jars are loaded. */
class PluginTrustTest extends PluginHostCase {
  private PluginJars jar(String version, String answer) {
    return PluginJars.of(folder, "hello", version).withTool("greet", answer);
  }

  private void awaitReason(String text) throws Exception {
    rig.await(() -> rig.view("hello").reason().contains(text));
  }

  @Test
  void aPinnedJarWaitsForItsApprovalAndSoDoesEachOtherOne() throws Exception {
    rig.configure("plugins:\n  trust: pinned\n");
    jar("1.0.0", "one").into(rig.plugins(), "hello.jar");
    rig.awaitState("hello", PluginState.WAITING);
    assertThat(rig.view("hello").reason()).contains("plugins approve hello");
    assertThat(rig.host().approve("hello")).isTrue();
    assertThat(rig.call("greet")).isEqualTo("one");

    jar("1.0.1", "two").into(rig.plugins(), "hello.jar");
    awaitReason("the newer jar is not loaded");
    assertThat(rig.call("greet")).as("the old one goes on").isEqualTo("one");
    assertThat(rig.host().approve("hello")).isTrue();
    assertThat(rig.call("greet")).isEqualTo("two");
  }

  @Test
  void aJarThatOthersMayWriteIsToldOfWhileItRuns() throws Exception {
    Path jar = jar("1.0.0", "one").into(rig.plugins(), "hello.jar");
    rig.awaitState("hello", PluginState.READY);
    Files.setPosixFilePermissions(jar, PosixFilePermissions.fromString("rw-rw-r--"));
    awaitReason("hello.jar may be written by other users");
    assertThat(rig.view("hello").state()).isEqualTo(PluginState.READY);
    assertThat(rig.call("greet")).as("its copy goes on").isEqualTo("one");
    assertThat(rig.host().conditions()).hasSize(1);
    Files.setPosixFilePermissions(jar, PosixFilePermissions.fromString("rw-r--r--"));
    rig.await(() -> rig.view("hello").reason().isEmpty());
  }

  @Test
  void allIsWellAgainWhenTheRefusedJarIsReplacedByTheOneThatRuns() throws Exception {
    Path jar = jar("1.0.0", "one").into(rig.plugins(), "hello.jar");
    Path aside = Files.copy(jar, folder.resolve("aside.jar"));
    rig.awaitState("hello", PluginState.READY);
    jar("1.0.0", "forged").into(rig.plugins(), "hello.jar");
    awaitReason("was another jar");
    drop(aside);
    rig.await(() -> rig.view("hello").reason().isEmpty());
    assertThat(rig.call("greet")).isEqualTo("one");
  }

  @Test
  void onlyWhatIsSignedAsAWholeByAKnownSignerIsLoaded() throws Exception {
    Path key = key("good");
    rig.configure(
        "plugins:\n  trust: signed\n  signers: [\"%s\"]\n".formatted(fingerprint(key, "good")));
    jar("1.0.0", "unsigned").into(rig.plugins(), "hello.jar");
    rig.awaitState("hello", PluginState.FAILED);
    awaitReason("it is not signed");

    signed(jar("1.0.1", "a stranger's"), key("other"), "other");
    awaitReason("who is not in plugins.signers");

    Path added = signedAside(jar("1.0.2", "with more"), key, "good");
    change(added, "added.txt", "nobody signed this");
    drop(added);
    awaitReason("not all of it by one signer");

    Path changed = signedAside(jar("1.0.3", "changed"), key, "good");
    change(changed, "sample/Sample.class", "no class");
    drop(changed);
    rig.await(() -> rig.host().refusedFiles().getOrDefault("hello.jar", "").contains("signature"));

    signed(jar("1.0.4", "good"), key, "good");
    rig.awaitState("hello", PluginState.READY);
    assertThat(rig.call("greet")).isEqualTo("good");
    assertThat(rig.view("hello").signer()).isEqualTo(fingerprint(key, "good"));
  }

  @Test
  void aJarOfAnotherUserIsRefused() throws Exception {
    Assumptions.assumeTrue(
        "root".equals(System.getProperty("user.name")), "only root can give files away");
    Path made = jar("1.0.0", "one").into(folder, "aside.jar");
    Files.setOwner(
        made, made.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("nobody"));
    drop(made);
    rig.await(
        () ->
            rig.host().refusedFiles().getOrDefault("hello.jar", "").contains("belongs to nobody"));
    assertThat(rig.host().plugins()).isEmpty();
  }

  private void signed(PluginJars jar, Path key, String alias) throws Exception {
    drop(signedAside(jar, key, alias));
  }

  private Path signedAside(PluginJars jar, Path key, String alias) throws Exception {
    Path made = jar.into(folder, "aside.jar");
    run("jarsigner", "-keystore", key + "", "-storepass", "changeit", made + "", alias);
    return made;
  }

  private void drop(Path jar) throws IOException {
    Files.move(jar, rig.plugins().resolve("hello.jar"), StandardCopyOption.ATOMIC_MOVE);
  }

  private static void change(Path jar, String entry, String content) throws IOException {
    try (FileSystem zip = FileSystems.newFileSystem(URI.create("jar:" + jar.toUri()), Map.of())) {
      Files.writeString(zip.getPath(entry), content);
    }
  }

  private Path key(String alias) throws Exception {
    Path store = folder.resolve(alias + ".p12");
    run(
        "keytool",
        "-genkeypair",
        "-alias",
        alias,
        "-keyalg",
        "EC",
        "-dname",
        "CN=" + alias,
        "-keystore",
        store.toString(),
        "-storepass",
        "changeit",
        "-storetype",
        "PKCS12");
    return store;
  }

  private static String fingerprint(Path store, String alias) throws Exception {
    KeyStore keys = KeyStore.getInstance(store.toFile(), "changeit".toCharArray());
    return HexFormat.of()
        .formatHex(
            MessageDigest.getInstance("SHA-256").digest(keys.getCertificate(alias).getEncoded()));
  }

  private static void run(String tool, String... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", tool).toString());
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
  }
}
