package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Commands for what extends the server: extensions and plugins. */
class ExtensionCommandsTest extends CommandFixture {
  @Test
  void aNewPluginIsWrittenOnceAndUnderANameThatItMayHave() {
    assertThat(line.run("plugin", "new", "say-hello")).isZero();
    assertThat(line.out()).contains("say-hello/build.sh");
    assertThat(folder.resolve("say-hello/manifest.txt"))
        .content()
        .contains("Plugin-Id: say-hello", "Plugin-Class: sayhelloplugin.Greeter");
    assertThat(folder.resolve("say-hello/build.sh")).isExecutable();
    assertThat(line.run("plugins", "new", "say-hello")).isEqualTo(64);
    assertThat(line.err()).contains("exists already");
    assertThat(line.run("plugins", "new", "../Hello")).isEqualTo(64);
    assertThat(line.err()).contains("lower-case letters");
  }

  @Test
  void aNameThatAPluginCannotHaveIsRefusedForItsOwnReason() {
    assertThat(line.run("plugins", "new", "web")).isEqualTo(64);
    assertThat(line.err()).contains("'web'", "the server itself uses that name");
    assertThat(line.run("plugins", "new", "1a")).isEqualTo(64);
    assertThat(line.err()).contains("'1a'", "must begin with a lower-case letter");
    assertThat(line.run("plugins", "new", "A b")).isEqualTo(64);
    assertThat(line.err()).contains("lower-case letters, digits and hyphens");
  }

  @Test
  void extensionsAreListedShownAndRestarted() {
    String extension =
        "{\"id\":\"files\",\"source\":\"configuration\",\"protocol\":\"mcp\",\"state\":\"parked\","
            + "\"server\":\"\",\"tools\":[\"files_read\"],\"refused\":[\"files_x: too long\"],"
            + "\"restarts\":3,\"last_error\":\"it ended\"}";
    server
        .on("GET /api/v1/extensions", 200, "{\"extensions\":[" + extension + "]}")
        .on("GET /api/v1/extensions/files", 200, extension)
        .on(
            "GET /api/v1/extensions/files/log",
            200,
            "{\"id\":\"files\",\"lines\":[\"no\",\"key\"]}")
        .on("POST /api/v1/extensions/files/restart", 200, "{\"id\":\"files\",\"restarting\":true}");
    assertThat(line.run(server, "extensions", "list")).isZero();
    assertThat(line.out()).containsPattern("files +mcp +parked +1 +3 +it ended");
    assertThat(line.run(server, "extensions", "info", "files")).isZero();
    assertThat(line.out())
        .contains("last error: it ended", "tool: files_read", "not offered: files_x: too long");
    assertThat(line.run(server, "extensions", "logs", "files")).isZero();
    assertThat(line.out()).contains("no\nkey\n");
    assertThat(line.run(server, "extensions", "restart", "files")).isZero();
    assertThat(line.out()).contains("files is being restarted");
  }

  @Test
  void whatIsApprovedIsWhatWasShown() {
    server
        .on(
            "GET /api/v1/extensions/files",
            200,
            """
            {"id":"files","target":["npx","server"],"listing":"abc","held":[
              {"name":"grown","change":"new","parts":[],"before":null,
               "now":{"description":"grows"}},
              {"name":"read","change":"changed","parts":["description"],
               "before":{"description":"reads"},"now":{"description":"reads and mails"}}]}
            """)
        .on("POST /api/v1/extensions/files/approve", 200, "{}");
    assertThat(line.run(server, "extensions", "info", "files")).isZero();
    assertThat(line.out()).contains("runs: npx server", "waits for approval: grown (new)");
    assertThat(line.run(server, "extensions", "approve", "files")).isZero();
    assertThat(line.out())
        .contains(
            "waits for approval: read (changed: description)",
            "- reads\n",
            "+ reads and mails\n",
            "files: 2 tools approved");
    assertThat(server.requests)
        .contains("POST /api/v1/extensions/files/approve {\"listing\":\"abc\"}");
  }

  @Test
  void aPluginOrJarThatIsNotThereIsNamedAndNoMisuse() {
    server.on("GET /api/v1/plugins", 200, "{\"plugins\":[]}");
    assertThat(line.run(server, "plugins", "info", "nosuch")).isEqualTo(1);
    assertThat(line.err()).contains("there is no plugin nosuch");
    assertThat(line.run("plugins", "verify", "nosuch.jar")).isEqualTo(1);
    assertThat(line.err()).contains("there is no file nosuch.jar");
  }
}
