package dev.holdfast.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.net.WebAddress.RefusedException;
import java.net.InetAddress;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class WebAddressTest {
  /** As a resolver would do it, for names that are addresses already. */
  private static void judge(WebPolicy policy, String url) throws Exception {
    WebAddress address = WebAddress.of(url);
    policy.judgeName(address);
    InetAddress found =
        address.literal().isPresent()
            ? address.literal().get()
            : InetAddress.getByAddress(address.host(), new byte[] {8, 8, 8, 8});
    policy.judge(address, List.of(found));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://127.0.0.1/",
        "http://127.255.255.254/",
        "http://0.0.0.0/",
        "http://0.1.2.3/",
        "http://10.0.0.1/",
        "http://100.64.0.1/",
        "http://100.127.255.255/",
        "http://168.63.129.16/machine?comp=goalstate",
        "http://169.254.169.254/latest/meta-data/",
        "http://172.16.0.1/",
        "http://172.31.255.255/",
        "http://192.0.0.8/",
        "http://192.0.2.7/",
        "http://192.88.99.1/",
        "http://192.168.1.1/",
        "http://198.18.0.1/",
        "http://198.19.255.255/",
        "http://198.51.100.1/",
        "http://203.0.113.9/",
        "http://224.0.0.1/",
        "http://239.255.255.250/",
        "http://240.0.0.1/",
        "http://255.255.255.255/",
        "http://[::]/",
        "http://[::1]/",
        "http://[0:0:0:0:0:0:0:1]/",
        "http://[::127.0.0.1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://[::ffff:7f00:1]/",
        "http://[::ffff:0:127.0.0.1]/",
        "http://[64:ff9b::7f00:1]/",
        "http://[64:ff9b::10.0.0.1]/",
        "http://[64:ff9b::169.254.169.254]/",
        "http://[64:ff9b:1::8.8.8.8]/",
        "http://[2002:7f00:1::]/",
        "http://[2002:a9fe:a9fe::1]/",
        "http://[2002:c0a8:101::1]/",
        "http://[2001::1]/",
        "http://[2001:2::1]/",
        "http://[2001:10::1]/",
        "http://[2001:db8::1]/",
        "http://[3fff::1]/",
        "http://[5f00::1]/",
        "http://[100::1]/",
        "http://[fc00::1]/",
        "http://[fd12:3456::1]/",
        "http://[fe80::1]/",
        "http://[febf::1]/",
        "http://[fec0::1]/",
        "http://[ff02::1]/",
        "http://[fe80::1%25eth0]/",
        "http://[fe80::1%eth0]/",
        "http://127.1/",
        "http://127.0.1/",
        "http://0x7f.1/",
        "http://0x7f000001/",
        "http://0x7F.0x0.0x0.0x1/",
        "http://2130706433/",
        "http://017700000001/",
        "http://0177.0.0.1/",
        "http://0177.0.0.01/",
        "http://127.0.0.01/",
        "http://8.8.8.8.8/",
        "http://256.1.1.1/",
        "http://1.2.3.4.5/",
        "http://a.0x10/",
        "http://localhost/",
        "http://LOCALHOST:80/",
        "http://a.localhost/",
        "http://printer.local/",
        "http://metadata.google.internal/",
        "http://internal/",
        "http://router.home.arpa/",
        "http://db.intranet/",
        "http://metadata/",
        "http://localhost./",
        "http://127.0.0.1./",
        "http://example.org./",
        "http://example..org/",
        "http://.example.org/",
        "http://１２７.０.０.１/",
        "http://①②⑦.⓪.⓪.①/",
        "http://127。0。0。1/",
        "http://ｌｏｃａｌｈｏｓｔ/",
        "http://loc\u00ADalhost/",
        "http://%31%32%37.0.0.1/",
        "http://127.0.0.1%00.example.org/",
        "http://a@example.org/",
        "http://a:b@example.org/",
        "http://@example.org/",
        "http://example.org\\@127.0.0.1/",
        "http://example.org:80@127.0.0.1/",
        "http://127.0.0.1#@example.org/",
        "http://127.0.0.1?@example.org/",
        "http://example.org:0/",
        "http://example.org:65536/",
        "http://example.org:99999999999/",
        "http://example.org:-1/",
        "http://example.org:8a/",
        "http:///etc/passwd",
        "http:example.org",
        "http://",
        "//example.org/",
        "example.org",
        "",
        "file:///etc/passwd",
        "file://example.org/etc/passwd",
        "gopher://example.org:70/_x",
        "jar:http://example.org/a.jar!/b",
        "ftp://example.org/",
        "data:text/plain,x",
        "javascript:alert(1)",
        "netdoc:/etc/passwd",
        "http://exa mple.org/",
        "http://example.org/\r\nx: y",
        "http://exam\nple.org/",
        "http://[::1/",
        "http://[1.2.3.4]/",
        "http://[::1]x/",
        "http://[]/"
      })
  void refusesWhatIsNotPublic(String url) {
    assertThatThrownBy(() -> judge(WebPolicy.publicOnly(), url))
        .isInstanceOf(RefusedException.class);
  }

  @ParameterizedTest
  @CsvSource({
    "http://example.org, http://example.org/",
    "HTTP://Example.ORG:80/a?b=c#d, http://example.org/a?b=c",
    "https://example.org:8443/, https://example.org:8443/",
    "http://bücher.example/ü, http://xn--bcher-kva.example/%C3%BC",
    "http://8.8.8.8/, http://8.8.8.8/",
    "http://172.15.0.1/, http://172.15.0.1/",
    "http://172.32.0.1/, http://172.32.0.1/",
    "http://100.63.255.255/, http://100.63.255.255/",
    "http://100.128.0.1/, http://100.128.0.1/",
    "http://169.253.0.1/, http://169.253.0.1/",
    "http://223.255.255.255/, http://223.255.255.255/",
    "http://[2606:4700::1111]/, http://[2606:4700::1111]/",
    "http://[64:ff9b::8.8.8.8]/, http://[64:ff9b::8.8.8.8]/",
    "http://[2002:808:808::1]/, http://[2002:808:808::1]/",
    "http://[::ffff:8.8.8.8]/, http://[::ffff:8.8.8.8]/",
    "http://my_host.example.org/%20x, http://my_host.example.org/%20x",
    "http://1password.com/, http://1password.com/"
  })
  void letsPublicOnesThroughInOneForm(String given, String sent) throws Exception {
    judge(WebPolicy.publicOnly(), given);
    assertThat(WebAddress.of(given).url()).isEqualTo(sent);
  }

  @Test
  void anAddressWithinIPv6IsJudgedAsWhatItIs() throws Exception {
    assertThat(WebAddress.of("http://[::ffff:8.8.8.8]/").literal())
        .contains(InetAddress.ofLiteral("8.8.8.8"));
  }

  /** What listens there may be closed to all others by a wall around the machine. */
  @Test
  void aPublicAddressOfThisMachineIsNotFetched() throws Exception {
    WebAddress address = WebAddress.of("http://8.8.8.8:9000/");
    List<InetAddress> found = List.of(InetAddress.getByName("8.8.8.8"));
    WebPolicy.publicOnly().judge(address, found, _ -> false);
    assertThatThrownBy(() -> WebPolicy.publicOnly().judge(address, found, _ -> true))
        .isInstanceOf(WebAddress.RefusedException.class);
    WebPolicy let = new WebPolicy(Set.of("8.8.8.8:9000"), () -> Set.of(8080));
    let.judge(address, found, _ -> true);
  }

  @Test
  void anOperatorLetsNamesAndPortsThrough() throws Exception {
    WebPolicy policy =
        new WebPolicy(Set.of("wiki.Internal", "127.0.0.1:9", "[::1]"), () -> Set.of(8080));
    judge(policy, "http://wiki.internal/");
    judge(policy, "http://WIKI.internal:81/");
    judge(policy, "http://127.0.0.1:9/");
    judge(policy, "http://[::1]/");
    for (String other : List.of("http://127.0.0.1:10/", "http://a.wiki.internal/")) {
      assertThatThrownBy(() -> judge(policy, other)).isInstanceOf(RefusedException.class);
    }
  }

  @Test
  void theServersOwnPortsAreRefusedWhateverIsLetThrough() {
    WebPolicy policy = new WebPolicy(Set.of("127.0.0.1", "[::1]"), () -> Set.of(8080));
    for (String own : List.of("http://127.0.0.1:8080/", "http://[::1]:8080/")) {
      assertThatThrownBy(() -> judge(policy, own)).isInstanceOf(RefusedException.class);
    }
  }

  @Test
  void onePrivateAddressSpoilsAName() throws Exception {
    WebAddress address = WebAddress.of("http://two.example.org/");
    List<InetAddress> both =
        List.of(InetAddress.ofLiteral("8.8.8.8"), InetAddress.ofLiteral("10.0.0.1"));
    assertThatThrownBy(() -> WebPolicy.publicOnly().judge(address, both))
        .isInstanceOf(RefusedException.class);
  }

  @ParameterizedTest
  @CsvSource({
    "/b, http://example.org/b",
    "c, http://example.org/a/c",
    "//other.example.org/x, http://other.example.org/x",
    "https://example.org/, https://example.org/",
    "?q=1, http://example.org/a/?q=1"
  })
  void redirectsAreRelativeToThePage(String location, String url) throws Exception {
    assertThat(WebAddress.of("http://example.org/a/b").resolve(location).url()).isEqualTo(url);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"file:///etc/passwd", "http://u@example.org/", "jar:file:/x!/y", "http://0x7f.1/"})
  void redirectsLeadNowhereElse(String location) {
    assertThatThrownBy(() -> WebAddress.of("http://example.org/").resolve(location))
        .isInstanceOf(RefusedException.class);
  }
}
